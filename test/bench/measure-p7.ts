import { setTimeout } from 'node:timers/promises';
import { closingAfter } from '../setup/close-at-end';
import { BUSY_MS } from '../../store/push/push-queue';
import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { quantile } from './interleave';
import { type Callers, pushUntil, type Pushed } from './push-until';
import { addIntegrations } from './push-load';
import type { Row } from './row';
import { type RunningApi, startBenchApi } from './start-bench-api';
import { startSlowCommits } from './slow-commits';

/**
 * Pushes of one record of one type through more and more APIs and through one of them alone, then small ones beside an ERP with large ones; and once
 * more the first where commits take longer.
 */
export async function measureP7(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  const { rounds, connections } = bench.sizes.apis;
  const most = Math.max(...rounds.flatMap(({ counts }) => counts));
  const tokens = await addIntegrations(store, connections * most);
  const rows: Row[] = [];
  for (const { commitMs, counts } of rounds)
    await closingAfter(async () => {
      const apis: RunningApi[] = [];
      const wire = commitMs > 0 ? await startSlowCommits(bench.mongodbUri, commitMs) : undefined;
      const through = { ...bench, mongodbUri: wire?.uri ?? bench.mongodbUri };
      rows.push(...(await moreAndMore(through, { store, apis, tokens, counts, commitMs })));
      if (!wire) rows.push(await besideLarge(bench, { store, apis, tokens }));
    });
  return rows;
}

interface Scene {
  store: Store;
  apis: RunningApi[];
  tokens: string[];
}

async function moreAndMore(
  bench: Bench,
  { store, apis, tokens, counts, commitMs }: Scene & { counts: number[]; commitMs: number },
): Promise<Row[]> {
  const { connections, seconds } = bench.sizes.apis;
  const rows: Row[] = [];
  for (const count of counts) {
    while (apis.length < count)
      apis.push(await startBenchApi(bench, store, apis.length, { GDX_TRUSTED_PROXIES: '1' }));
    const what = `${count} APIs${commitMs > 0 ? `, commits ${commitMs} ms longer` : ''}`;
    bench.note(`P7: ${what}, for ${seconds} s, and one of them alone for as long`);
    const load = apis.map(({ url }, index) => ({
      url,
      tokens: tokens.slice(index * connections, (index + 1) * connections),
      records: 1,
    }));
    rows.push(...rowsOf(what, count, ...(await besideOneAlone(bench, store, load))));
  }
  return rows;
}

/**
 * In turns, as the server becomes slower with what it holds. One that has just met others asks for its turn although it is alone.
 * @returns the figures of all APIs, and of the first one alone
 */
async function besideOneAlone(bench: Bench, store: Store, load: Callers[]): Promise<[Figures, Figures]> {
  const { seconds, laps } = bench.sizes.apis;
  await warmUp(load, seconds);
  const [all, alone]: [Figures[], Figures[]] = [[], []];
  for (let lap = 0; lap < laps; lap++) {
    await setTimeout(BUSY_MS);
    alone.push(await measured(store, load.slice(0, 1), seconds / laps));
    all.push(await measured(store, load, seconds / laps));
  }
  return [joined(all), joined(alone)];
}

const joined = (laps: Figures[]): Figures => ({
  pushed: laps[0]!.pushed.map((_, index) => {
    const ofOne = laps.map(({ pushed }) => pushed[index]!);
    return {
      times: ofOne.flatMap(({ times }) => times),
      ends: ofOne.flatMap(({ ends }) => ends),
      refused: sumOf(ofOne, ({ refused }) => refused),
    };
  }),
  seconds: sumOf(laps, ({ seconds }) => seconds),
  conflicts: sumOf(laps, ({ conflicts }) => conflicts),
  commits: sumOf(laps, ({ commits }) => commits),
});

const sumOf = <T>(list: T[], of: (one: T) => number) => list.reduce((sum, one) => sum + of(one), 0);

async function besideLarge(bench: Bench, { store, apis, tokens }: Scene): Promise<Row> {
  const [first, ...others] = apis;
  const large = bench.sizes.pushes.at(-1)!;
  const load = [
    { url: first!.url, tokens: tokens.slice(0, 1), inTurn: tokens.slice(-LARGE_IN_TURN), records: large },
    ...others.map(({ url }, index) => ({ url, tokens: [tokens[index + 1]!], records: 1 })),
  ];
  // The ten minutes of `--full` are for the small pushes of many APIs.
  const seconds = Math.min(bench.sizes.apis.seconds, MOST_OF_LARGE_SECONDS);
  await warmUp(load, seconds);
  bench.note(`P7: ${others.length} APIs beside pushes of ${large} records, for ${seconds} s`);
  return besideRow(large, await measured(store, load, seconds));
}

export interface Figures {
  pushed: Pushed[];
  seconds: number;
  conflicts: number;
  commits: number;
}

// The first thousands of records of a process wait for its connections and its compiler. Processes that share the cores need more
// seconds for as many.
const WARM_RECORDS = 10_000;
const WARM_UP_LAP_SECONDS = 5;
const MOST_WARM_UP_SECONDS = 60;
const MOST_OF_LARGE_SECONDS = 30;
const LARGE_IN_TURN = 15;

async function warmUp(load: Callers[], seconds: number): Promise<void> {
  const taken = load.map(() => 0);
  const lap = Math.min(WARM_UP_LAP_SECONDS, seconds);
  for (
    let left = Math.min(2 * seconds, MOST_WARM_UP_SECONDS);
    left > 0 && Math.min(...taken) < WARM_RECORDS;
    left -= lap
  ) {
    const pushed = await pushUntil(load, lap);
    for (const [index, { times }] of pushed.entries()) taken[index]! += times.length * load[index]!.records;
  }
}

async function measured(store: Store, load: Callers[], seconds: number): Promise<Figures> {
  const before = await readConflicts(store);
  const pushed = await pushUntil(load, seconds);
  const after = await readConflicts(store);
  return {
    pushed,
    seconds,
    conflicts: after.aborted - before.aborted,
    commits: after.committed - before.committed,
  };
}

/** What the server has counted; NaN where it counts none, as the stand-ins. */
async function readConflicts({ db }: Store): Promise<{ aborted: number; committed: number }> {
  const { transactions } = await db.admin().command({ serverStatus: 1 });
  const count = (value: unknown) => (value === undefined ? NaN : Number(value));
  return { aborted: count(transactions?.totalAborted), committed: count(transactions?.totalCommitted) };
}

/** The bounds of two and of four APIs are those of docs/proof.md: a line between them would reach each. */
export function rowsOf(what: string, count: number, figures: Figures, alone: Figures): Row[] {
  const { pushed } = figures;
  const times = pushed.flatMap((one) => one.times);
  const isBound = count === 2 || count === 4;
  const row = (figure: string, value: number, bound: Row['bound'], detail = ''): Row => ({
    ...{ id: 'P7', what: `${what}: ${figure}`, value, unit: 'x', detail },
    ...(isBound && { bound: bound! }),
  });
  const least = Math.min(...pushed.map((one) => one.times.length)) * (count / times.length);
  const refused = sumOf(pushed, (one) => one.refused);
  return [
    row(
      'pushes a second / one API',
      rateOf(figures) / rateOf(alone),
      { hard: false, atLeast: 1.15 },
      `${shown(figures)}; alone ${shown(alone)}`,
    ),
    row('least share / an equal one', least, { hard: false, atLeast: 0.8 }),
    row('p99 / one API', p99Of(figures) / p99Of(alone), { hard: false, atMost: 4 }),
    {
      ...row('longest push', longestOf(times), { hard: false, atMost: 1_000 }),
      unit: 'ms',
    },
    {
      id: 'P7',
      what: `${what}: 503`,
      value: refused,
      unit: 'count',
      bound: { hard: true, exactly: 0 },
    },
  ];
}

export function besideRow(records: number, { pushed: [large, ...small] }: Pick<Figures, 'pushed'>): Row {
  const times = small.flatMap((one) => one.times);
  const shares = small.flatMap((one) =>
    one.times.map(
      (took, index) => took / longestMeanwhile(large!, one.ends[index]! - took, one.ends[index]!),
    ),
  );
  const detail = `${times.length} small, p50 ${ms(times, 0.5)}, p99 ${ms(times, 0.99)}; ${large!.times.length} large, p50 ${ms(large!.times, 0.5)}, longest ${ms(large!.times, 1)}`;
  const what = `small pushes beside pushes of ${records}: p99 of their time / the longest large one meanwhile`;
  return {
    id: 'P7',
    what,
    value: quantile(shares, 0.99),
    unit: 'x',
    bound: { hard: false, atMost: 2 },
    detail,
  };
}

/** Of the large pushes that were under way between two points in time; of all, where none was. */
function longestMeanwhile({ times, ends }: Pushed, from: number, to: number): number {
  const meanwhile = times.filter((took, index) => ends[index]! > from && ends[index]! - took < to);
  return longestOf(meanwhile.length > 0 ? meanwhile : times);
}

/** A run of ten minutes has more pushes than a function may have arguments. */
const longestOf = (times: number[]) => times.reduce((longest, took) => Math.max(longest, took), 0);

const timesOf = ({ pushed }: Figures) => pushed.flatMap((one) => one.times);
const rateOf = (figures: Figures) => timesOf(figures).length / figures.seconds;
const p99Of = (figures: Figures) => quantile(timesOf(figures), 0.99);
const ms = (times: number[], share: number) => `${quantile(times, share).toFixed(0)} ms`;

function shown(figures: Figures): string {
  const [times, conflicts] = [timesOf(figures), figures.conflicts / figures.commits];
  const shares = figures.pushed.map((one) => `${Math.round((100 * one.times.length) / times.length)} %`);
  const counted = Number.isNaN(conflicts) ? '' : `; ${conflicts.toFixed(1)} conflicts a commit`;
  return `${Math.round(rateOf(figures))}/s, p50 ${ms(times, 0.5)}, p99 ${ms(times, 0.99)}; ${shares.join(', ')}${counted}`;
}
