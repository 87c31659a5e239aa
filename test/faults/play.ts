import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { judgeHistory, type Judgement } from '../../tools/judge/record-history';
import { outOfOrder } from '../commit-order/promise';
import { closingAfter } from '../setup/close-at-end';
import { eventually } from '../setup/eventually';
import type { Fault } from './faults';
import { missing, repeatedPages } from './held';
import { openScene, type Scene, type Tally } from './scene';
import { whatIsDue } from './what-is-due';

const SETTLE_MS = 180_000;
const LOOK_EVERY_MS = 2_000;

/** What one fault came to. */
export interface Verdict extends Tally {
  /** Where its processes have written what they said. */
  logs: string;
  rounds: number;
  pushes: number;
  /** The most that went together. */
  largestGroup: number;
  refused: number;
  cutOff: number;
  unanswered: string[];
  slowestMs: number;
  failed: string[];
  /** How many were confirmed, by each customer. */
  pages: number[];
  repeated: number;
  lost: string[];
  /** The pushes that MongoDB holds no more although it had answered their commit with ok. */
  forgotten: string[];
  mongodbName: string;
  outOfOrder: number;
  /** By docs/contract.md alone; undefined where no history was recorded. */
  judgement: Judgement | undefined;
  /** What the models do not allow, and how many of its steps were seen; undefined where nothing was watched. */
  model: { broken: readonly string[]; steps: number } | undefined;
}

type Say = (line: string) => void;

/**
 * Plays a fault while ERPs push and customers are fed; then compares what was acknowledged with what they hold.
 * `look` is shown the scene every two seconds.
 */
export const play = (fault: Fault, say: Say, look: (scene: Scene) => void = () => undefined) =>
  closingAfter(() => playLookedAt(fault, say, look));

async function playLookedAt(fault: Fault, say: Say, look: (scene: Scene) => void): Promise<Verdict> {
  const logs = mkdtempSync(path.join(tmpdir(), 'gdx-logs-'));
  const scene = await openScene(fault.cast, logs);
  const looking = setInterval(() => look(scene), LOOK_EVERY_MS);
  const over = new AbortController();
  try {
    const pushing = Promise.all(scene.erps.map((erp) => erp.pushUntil(over.signal)));
    const rounds = await playRounds(fault, scene, say);
    over.abort();
    await pushing;
    const { due, forgotten } = await whatIsDue(scene);
    const lost = () => scene.customers.flatMap((customer) => missing(due, customer));
    await eventually(() => requireNone(lost()), SETTLE_MS).catch(() => undefined);
    const judgement = fault.cast.backlog ? undefined : judgeHistory();
    return { rounds, ...verdict(scene), lost: lost(), forgotten, judgement };
  } catch (error) {
    throw new Error(`${(error as Error).message}; ${keptIn(logs)}`, { cause: error });
  } finally {
    clearInterval(looking);
    over.abort();
  }
}

/** @returns how many there were */
async function playRounds(fault: Fault, scene: Scene, say: Say): Promise<number> {
  const { times, minutes } = fault;
  const end = minutes === undefined ? Infinity : Date.now() + minutes * 60_000;
  const of = minutes === undefined ? `of ${times}` : `in ${minutes} minutes`;
  let round = 0;
  for (; round < times && Date.now() < end; round++) {
    await fault.act(scene, round);
    const pushes = sum(scene.erps, (erp) => erp.pushes);
    const pages = sum(scene.customers, (customer) => customer.pages.length);
    const time = new Date().toISOString().slice(11, 19);
    const played = scene.tally.played.at(-1);
    const what = `${played ? `${played}, ` : ''}${pushes} pushes, ${pages} pages${silenceOf(scene.tally)}`;
    say(`  ${time} ${round + 1} ${of}: ${what}`);
  }
  await Promise.all(scene.away.values());
  return round;
}

function silenceOf({ silences }: Tally): string {
  const last = silences.at(-1);
  if (!last) return '';
  return `, a silence of ${seconds(last.ms)} s that ended ${seconds(last.endsAfterKillMs)} s after the kill`;
}

function verdict({
  erps,
  customers,
  tally,
  parts,
  committed,
  checker,
  logs,
}: Scene): Omit<Verdict, 'lost' | 'forgotten' | 'rounds' | 'judgement'> {
  return {
    ...tally,
    logs,
    model: checker,
    mongodbName: parts.mongodbName,
    largestGroup: Math.max(...committed().map((pushes) => pushes.length)),
    pushes: sum(erps, ({ pushes, unanswered }) => pushes - unanswered.length),
    refused: sum(erps, ({ refused }) => refused),
    cutOff: sum(erps, ({ cutOff }) => cutOff),
    unanswered: erps.flatMap(({ unanswered }) => unanswered),
    slowestMs: Math.max(...erps.map(({ slowestMs }) => slowestMs)),
    failed: erps.flatMap(({ failed }) => failed),
    pages: customers.map((customer) => customer.confirmed().length),
    repeated: sum(customers, (customer) => repeatedPages(customer).length),
    outOfOrder: sum(customers, (customer) => outOfOrder(customer).length),
  };
}

/** Where to look, once something is wrong. */
export const keptIn = (logs: string) => `what its processes said is in ${logs}`;

function requireNone(records: string[]): void {
  if (records.length > 0) throw new Error(`${records.length} records are not there yet`);
}

export const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

const sum = <T>(list: T[], count: (one: T) => number) => list.reduce((total, one) => total + count(one), 0);
