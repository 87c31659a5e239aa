import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { localDir } from '../../tools/local/checkout';
import { closeAtEnd, closingAfter } from '../setup/close-at-end';
import { benchAgainst } from './against';
import type { Bench, Measurement } from './bench';
import {
  appendBenchLines,
  benchFile,
  benchLines,
  besideKept,
  type KeptLine,
  readBenchLines,
} from './bench-lines';
import { type BenchOptions, readBenchOptions } from './bench-options';
import { type BenchParts, startBenchParts } from './bench-parts';
import { benchSizes } from './bench-sizes';
import { MEASUREMENTS } from './measurements';
import { openBenchStore } from './open-bench-store';
import { benchTable } from './print-bench-table';
import { failedRow, markOf, type Row } from './row';

const DIR = path.join(localDir, 'bench');
// Of one measurement: a run goes on without whoever waits for it.
const MOST_MINUTES = 40;

const note = (line: string) => void process.stderr.write(`${line}\n`);

async function main(options: BenchOptions, kept: KeptLine[]): Promise<void> {
  const parts = await startBenchParts(path.join(DIR, 'parts'), note);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void parts.stop().finally(() => process.exit(130)));
  }
  try {
    const slow = parts.server.startsWith('secantusd-py');
    if (slow && options.size !== 'quick') note(`${parts.server} is slow: the sizes are those of --quick`);
    const size = slow ? 'quick' : options.size;
    const at = new Date();
    const file = benchFile(DIR, at);
    const rows: Row[] = [];
    const { against: ref } = options;
    const measurements: [string, Measurement][] = ref
      ? [[`against ${ref}`, (bench) => benchAgainst(bench, ref, options.records ?? 100_000, options.only)]]
      : options.only.map((id) => [id, MEASUREMENTS[id]]);
    for (const [id, measurement] of measurements) {
      const measured = await measure(id, measurement, parts, { ...options, size });
      appendBenchLines(file, benchLines(measured, parts.server, at)); // kept, whatever happens later
      rows.push(...measured);
    }
    const shown = besideKept(rows, kept);
    const { server } = parts;
    if (options.json) process.stdout.write(benchLines(shown, server, at));
    else
      process.stdout.write(
        `\n${server}, Node ${process.version}${against(kept)}\n\n${benchTable(shown)}\n\n${file}\n`,
      );
    if (rows.some((row) => markOf(row) === 'BROKEN')) process.exitCode = 1;
  } finally {
    await parts.stop();
  }
}

async function measure(
  id: string,
  measurement: Measurement,
  parts: BenchParts,
  options: BenchOptions,
): Promise<Row[]> {
  const bench: Bench = {
    ...parts,
    sizes: benchSizes(options.size, options.records),
    dir: path.join(DIR, 'parts'),
    note,
    async openStore(how) {
      const store = await openBenchStore(parts.mongodbUri, how);
      closeAtEnd(() => store.db.dropDatabase());
      return store;
    },
  };
  note(`${id} ...`);
  const began = Date.now();
  try {
    return await closingAfter(() => Promise.race([measurement(bench), tooLong()]));
  } catch (error) {
    console.error(error);
    return [failedRow(id, error)];
  } finally {
    note(`${id} took ${Math.round((Date.now() - began) / 1_000)} s`);
  }
}

async function tooLong(): Promise<never> {
  await setTimeout(MOST_MINUTES * 60_000, undefined, { ref: false });
  throw new Error(`it took more than ${MOST_MINUTES} minutes`);
}

const against = ([line]: KeptLine[]) => (line ? `, beside ${line.server} of ${line.at}` : '');

function start(): void {
  try {
    const options = readBenchOptions(process.argv.slice(2));
    const kept = options.compare === undefined ? [] : readBenchLines(readFileSync(options.compare, 'utf8'));
    main(options, kept).catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    });
  } catch (error) {
    note((error as Error).message);
    process.exitCode = 2;
  }
}

start();
