import { readOptions } from '../../tools/local/read-options';
import type { BenchSize } from './bench-sizes';
import { MEASUREMENTS, type MeasurementId } from './measurements';

export interface BenchOptions {
  only: MeasurementId[];
  size: BenchSize;
  /** How many records the measurements of the feed go through at most. */
  records: number | undefined;
  /** The lines of an earlier run, to be shown beside this one. */
  compare: string | undefined;
  /** A commit to be played beside this one. */
  against: string | undefined;
  json: boolean;
}

const USAGE = `npm run bench -- [--only F1,P1] [--records 200000] [--quick | --full] [--compare FILE] [--json]
npm run bench -- --against ee0b65d [--only P1,P6] [--records 100000] [--json]
  --only     measurements to run: ${Object.keys(MEASUREMENTS).join(', ')}
  --records  records of the feed in F1, and of the largest run in F3, F5 and R1
  --quick    small sizes, for a slow stand-in
  --full     a million records in F5, R1 and S2, ten minutes in P7
  --compare  the .jsonl of an earlier run, to be shown beside this one
  --against  a commit: what a push, a record, a reset cost this one, beside what they cost that one, in three pairs
  --json     JSON lines instead of the table`;

/** An option that there is not ends the process (readOptions). @throws Error that says what is wrong with a value, and how to call it. */
export function readBenchOptions(args: string[]): BenchOptions {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values } = readOptions(USAGE, {
    args,
    options: { only: text, records: text, compare: text, against: text, json: flag, quick: flag, full: flag },
  });
  const { json, quick, full, compare, against } = values;
  if (quick && full) throw new Error(`--quick and --full are two sizes: choose one\n${USAGE}`);
  const size = full ? 'full' : quick ? 'quick' : 'usual';
  return { only: idsOf(values.only), size, records: countOf(values.records), compare, against, json };
}

function idsOf(text: string | undefined): MeasurementId[] {
  const all = Object.keys(MEASUREMENTS) as MeasurementId[];
  if (text === undefined) return all;
  const wanted = text.toUpperCase().split(',');
  const unknown = wanted.filter((id) => !(id in MEASUREMENTS));
  if (unknown.length > 0) throw new Error(`there is no measurement ${unknown.join(', ')}\n${USAGE}`);
  return all.filter((id) => wanted.includes(id));
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{2,6}$/.test(text)) throw new Error(`--records must be a number of at least 100\n${USAGE}`);
  return Number(text);
}
