import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { countPushOperations } from './count-push-operations';
import { interleave, type Laps, medianLap, ratio } from './interleave';
import { naivePush } from './naive-service';
import { postedPush, type PushRound, rawPush, storingPush } from './push-contestants';
import type { Row } from './row';
import { type RunningApi, startBenchApi } from './start-bench-api';
import { TicketSource } from './ticket-source';

const GATES: Record<number, number> = { 100: 2.5, 1_000: 1.8, 5_000: 1.6 };
const GOAL = 1.5;
const LEAST_A_ROUND = 1_000;
const NAIVE_RECORDS = 100;

/** Pushes of new records, against the same documents written with nothing around it. */
export async function measureP1(bench: Bench): Promise<Row[]> {
  const counted = await countPushOperations(await bench.openStore({ monitored: true }), 100);
  const rows = counted.filter(({ id }) => id === 'P1');
  const stores = { ours: await bench.openStore(), raw: await bench.openStore() };
  const api = await startBenchApi(bench, stores.ours);
  try {
    for (const records of bench.sizes.pushes)
      rows.push(...(await measurePushes(bench, stores, api, records)));
  } finally {
    await api.stop();
  }
  return rows;
}

// All sizes draw on one source, as an id pushed before would not be new.
const source = new TicketSource(150_000);

async function measurePushes(
  bench: Bench,
  { ours: store, raw }: { ours: Store; raw: Store },
  api: RunningApi,
  records: number,
): Promise<Row[]> {
  bench.note(`P1: pushing ${records} records`);
  const times = Math.max(1, Math.round(LEAST_A_ROUND / records));
  const round: PushRound = { source, records, times };
  const ours = storingPush(store, round);
  const naive = { run: () => naivePush(store, source.take(NAIVE_RECORDS)), units: NAIVE_RECORDS };
  const contestants = {
    ours,
    raw: rawPush(store, raw, ours, ours.units),
    http: postedPush(api, round),
    naive,
  };
  return rowsOf(records, await interleave(contestants, bench.sizes.rounds));
}

function rowsOf(records: number, laps: Laps<'ours' | 'raw' | 'http' | 'naive'>): Row[] {
  const row = (what: string, value: number): Row => ({
    id: 'P1',
    what: `push of ${records}, ${what}`,
    value,
    unit: 'x',
  });
  const times = (of: 'wall' | 'cpu', ...names: (keyof typeof laps)[]) =>
    `${names.map((name) => `${name} ${(medianLap(laps[name], of) * 1_000).toFixed(0)}`).join(', ')} us a record`;
  const bound = { hard: false, atMost: GATES[records] ?? 1.6, goal: GOAL } as const;
  return [
    {
      ...row('wall: ours / raw', ratio(laps.ours, laps.raw)),
      bound,
      detail: times('wall', 'ours', 'raw', 'naive'),
    },
    {
      ...row('CPU: ours / raw', ratio(laps.ours, laps.raw, 'cpu')),
      detail: times('cpu', 'ours', 'raw', 'naive'),
    },
    {
      ...row('wall: over HTTP / raw', ratio(laps.http, laps.raw)),
      bound,
      detail: times('wall', 'http'),
    },
    row('wall: naive / ours', ratio(laps.naive, laps.ours)),
  ];
}
