import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions } from '../../tools/local/read-options';
import { type HistoryJson, replay } from './replay';

const USAGE = `npx tsx test/replay/replay-file.ts HISTORY.json...
  does the current build replay these histories, each as JSON from the Temporal UI or \`temporal workflow show\`?`;

async function main(): Promise<void> {
  const { positionals } = readOptions(USAGE, { allowPositionals: true, options: {} });
  if (positionals.length === 0) throw new Error(`no history is named; name a file\n${USAGE}`);
  const results = await replay(positionals.map((file) => ({ workflowId: file, history: historyIn(file) })));
  for (const [file, error] of results) console.log(`${file}: ${error ? error.message : 'replays'}`);
  if ([...results.values()].some((error) => error)) process.exitCode = 1;
}

/** @throws Error that names the file */
function historyIn(file: string): HistoryJson {
  try {
    return JSON.parse(readFileSync(path.resolve(file), 'utf8')) as HistoryJson;
  } catch (error) {
    throw new Error(`${file} is not a history (${(error as Error).message}); export it as JSON`);
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 2;
});
