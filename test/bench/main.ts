import path from 'node:path';
import { localDir } from '../../tools/local/checkout';
import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { benchLines, writeBenchLines } from './bench-lines';
import { type BenchOptions, readBenchOptions } from './bench-options';
import { type BenchParts, startBenchParts } from './bench-parts';
import { benchSizes } from './bench-sizes';
import { MEASUREMENTS, type MeasurementId } from './measurements';
import { dropBenchStore, openBenchStore } from './open-bench-store';
import { benchTable } from './print-bench-table';
import { markOf, type Row } from './row';

const DIR = path.join(localDir, 'bench');

const note = (line: string) => void process.stderr.write(`${line}\n`);

async function main(options: BenchOptions): Promise<void> {
  const parts = await startBenchParts(path.join(DIR, 'parts'), note);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void parts.stop().finally(() => process.exit(130)));
  }
  try {
    const slow = parts.server.startsWith('secantusd-py');
    if (slow && !options.quick) note(`${parts.server} is slow: the sizes are those of --quick`);
    const rows: Row[] = [];
    for (const id of options.only) rows.push(...(await measure(id, parts, options, slow)));
    report(rows, parts.server, options.json);
  } finally {
    await parts.stop();
  }
}

async function measure(
  id: MeasurementId,
  parts: BenchParts,
  options: BenchOptions,
  slow: boolean,
): Promise<Row[]> {
  const stores: Store[] = [];
  const bench: Bench = {
    ...parts,
    sizes: benchSizes(options.quick || slow, options.records),
    dir: path.join(DIR, 'parts'),
    note,
    async openStore(how) {
      const store = await openBenchStore(parts.mongodbUri, how);
      stores.push(store);
      return store;
    },
  };
  note(`${id} ...`);
  try {
    return await MEASUREMENTS[id](bench);
  } finally {
    for (const store of stores) await dropBenchStore(store);
  }
}

function report(rows: Row[], server: string, json: boolean): void {
  const at = new Date();
  const lines = benchLines(rows, server, at);
  const file = writeBenchLines(DIR, lines, at);
  process.stdout.write(
    json ? lines : `\n${server}, Node ${process.version}\n\n${benchTable(rows)}\n\n${file}\n`,
  );
  if (rows.some((row) => markOf(row) === 'BROKEN')) process.exitCode = 1;
}

function start(): void {
  try {
    main(readBenchOptions(process.argv.slice(2))).catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    });
  } catch (error) {
    note((error as Error).message);
    process.exitCode = 2;
  }
}

start();
