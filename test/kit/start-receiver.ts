import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const RECEIVER = path.join(__dirname, '../../docs/samples/receiver.mjs');

/** The receiver of the customer's guide, as its own process. */
export async function startReceiver(signingSecret: string, held: string, port = 0) {
  const env = { ...process.env, SIGNING_SECRET: signingSecret, HELD: held, PORT: String(port) };
  const child = spawn(process.execPath, [RECEIVER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(line));
  await once(output, 'line');
  const listening = /listening on (\d+)/.exec(lines[0]!)?.[1];
  return {
    port: Number(listening),
    url: `http://127.0.0.1:${listening}`,
    lines,
    /** By entity type, then by id. */
    records: (): Record<
      string,
      Record<string, { name: string; updated_at: string; deleted_at: string | null }>
    > => (existsSync(held) ? JSON.parse(readFileSync(held, 'utf8')).records : {}),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
