import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { countPushOperations } from './count-push-operations';
import { interleave, type Laps, medianLap, ratio } from './interleave';
import { naivePush } from './naive-service';
import { profile, sharesRow } from './profile';
import { postedPush, type PushRound, rawPush, storingPush } from './push-contestants';
import type { Row } from './row';
import { type RunningApi, startBenchApi } from './start-bench-api';
import { TicketSource } from './ticket-source';
import { timeCommands, type Waited } from './time-commands';

/** By the records of a push; each has its own, as a transaction costs the same for few and for many. */
const BOUNDS: Record<number, { atMost: number; goal: number }> = {
  100: { atMost: 2.5, goal: 2 },
  1_000: { atMost: 1.8, goal: 1.6 },
  5_000: { atMost: 1.6, goal: 1.5 },
};
const LEAST_A_ROUND = 5_000; // fewer are over before V8 has compiled what they run
const NAIVE_RECORDS = 100;

/** Pushes of new records, against the same documents written with nothing around it. */
export async function measureP1(bench: Bench): Promise<Row[]> {
  const monitored = await bench.openStore({ monitored: true });
  const counted = await countPushOperations(monitored, 100);
  const rows = counted.filter(({ id }) => id === 'P1');
  const stores = { ours: await bench.openStore(), raw: await bench.openStore(), monitored };
  const api = await startBenchApi(bench, stores.ours);
  for (const records of bench.sizes.pushes) rows.push(...(await measurePushes(bench, stores, api, records)));
  return rows;
}

// All sizes draw on one source, as an id pushed before would not be new.
const source = new TicketSource(600_000);

async function measurePushes(
  bench: Bench,
  { ours: store, raw, monitored }: { ours: Store; raw: Store; monitored: Store },
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
  const rows = rowsOf(records, await interleave(contestants, bench.sizes.rounds));
  await ours.prepare();
  const shares = sharesRow('P1', `push of ${records}, CPU: share of the driver`, await profile(ours.run));
  const watched = storingPush(monitored, round);
  await watched.prepare();
  return [...rows, shares, waitsRow(records, times, await timeCommands(monitored, watched.run))];
}

/** What a push waits for: each of the database's answers, and between them the process itself. */
function waitsRow(records: number, pushes: number, { wall, waited }: { wall: number; waited: Waited }): Row {
  const inAll = [...waited.values()].reduce((sum, one) => sum + one, 0);
  const aPush = (ms: number) => (ms / pushes).toFixed(1);
  return {
    id: 'P1',
    what: `push of ${records}, wall: waiting for the database`,
    value: Math.round((inAll / wall) * 100),
    unit: '%',
    detail: `${[...waited].map(([name, ms]) => `${name} ${aPush(ms)}`).join(', ')} of ${aPush(wall)} ms a push`,
  };
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
  const bound = { hard: false, ...(BOUNDS[records] ?? BOUNDS[5_000]!) } as const;
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
