import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { handlePush } from './handle-push';
import { type Contestant, interleave, median, medianLap, ratio } from './interleave';
import { pushBody } from './push-body';
import type { Row } from './row';
import { TicketSource } from './ticket-source';

// So large that the most records of a push fill the largest body.
const RECORD_BYTES = 3_250;
const MOST_RECORDS = 5_000;

/** Pushes of large records in the push route's handler, against themselves and against `JSON.parse` of the same bodies. */
export async function measureP3(bench: Bench): Promise<Row[]> {
  const { bodies, rounds } = bench.sizes;
  const store = await bench.openStore();
  const counts = bodies.map((MB) => Math.min(MOST_RECORDS, Math.round((MB * 1_000_000) / RECORD_BYTES)));
  const source = new TicketSource(2 * rounds * counts.reduce((sum, count) => sum + count, 0));
  bench.note(`P3: bodies of ${bodies.join(', ')} MB`);
  const pushes = Object.fromEntries(
    bodies.map((MB, index) => [MB, pushing(store, source, counts[index]!)] as const),
  );
  const laps = await interleave(pushes, rounds);
  const [small, large] = [bodies[0]!, bodies.at(-1)!];
  const rows: Row[] = [
    {
      id: 'P3',
      what: `wall a record: body of ${large} MB / of ${small} MB`,
      value: ratio(laps[large]!, laps[small]!),
      unit: 'x',
      bound: { hard: false, atMost: 1.3 },
      detail: bodies.map((MB) => `${MB} MB: ${(medianLap(laps[MB]!) * 1_000).toFixed(0)} us`).join(', '),
    },
  ];
  for (const [index, MB] of bodies.entries())
    rows.push(await stallRow(MB, () => bodyOf(source, counts[index]!), store, rounds));
  return rows;
}

function pushing(store: Store, source: TicketSource, records: number): Contestant {
  let body = Buffer.of();
  return {
    prepare: async () => void (body = bodyOf(source, records)),
    run: async () => void (await handlePush(store, body)),
    units: records,
  };
}

async function stallRow(MB: number, newBody: () => Buffer, store: Store, rounds: number): Promise<Row> {
  const [stalls, parses]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const body = newBody();
    stalls.push(await longestStall(() => handlePush(store, body)));
    const began = performance.now();
    JSON.parse(body.toString());
    parses.push(performance.now() - began);
  }
  const shown = (times: number[]) => `${median(times.slice(1)).toFixed(0)} ms`;
  return {
    id: 'P3',
    what: `longest stall of the event loop / JSON.parse, ${MB} MB`,
    value: median(stalls.slice(1)) / median(parses.slice(1)),
    unit: 'x',
    bound: { hard: false, atMost: 4 },
    detail: `${shown(stalls)}, parse ${shown(parses)}`,
  };
}

const bodyOf = (source: TicketSource, records: number) =>
  Buffer.from(JSON.stringify(pushBody(source.take(records).map(large))));

/** A ticket with many small values: all that its scale has measured. */
function large(ticket: object): object {
  const readings: object[] = [];
  const record = { ...ticket, readings };
  for (let left = RECORD_BYTES - JSON.stringify(record).length; left > 0; left -= 40)
    readings.push({ second: readings.length, lb: 80_000 - left, steady: left % 2 === 0 });
  return record;
}

/** @returns milliseconds */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await setTimeout(5); // it measures from one turn to the next
  await work();
  await setTimeout(5);
  loop.disable();
  return loop.max / 1_000_000;
}
