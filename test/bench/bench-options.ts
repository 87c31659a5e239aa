import { parseArgs } from 'node:util';
import { MEASUREMENTS, type MeasurementId } from './measurements';

export interface BenchOptions {
  only: MeasurementId[];
  /** How many records the feed measurements go through at most. */
  records: number | undefined;
  json: boolean;
  quick: boolean;
}

export const USAGE = `npm run bench -- [--only F1,P1] [--records 200000] [--quick] [--json]
  --only     measurements to run: ${Object.keys(MEASUREMENTS).join(', ')}
  --records  records of the feed in F1, and of the largest run in F3
  --quick    small sizes, for a slow stand-in
  --json     JSON lines instead of the table`;

/** @throws Error that says what is wrong and how to call it. */
export function readBenchOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      records: { type: 'string' },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const { json, quick } = values;
  return { only: idsOf(values.only), records: countOf(values.records), json, quick };
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
