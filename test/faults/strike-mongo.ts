import { setTimeout } from 'node:timers/promises';
import type { StrictWire } from '../strict/strict-wire';
import { eventually } from '../setup/eventually';
import type { Scene } from './scene';
import { oneAtRandom } from './strike';

const FELT_MS = 10_000;
const LAG_MS = 6_000;

const between = (least: number, most: number) => least + Math.random() * (most - least);
const perhaps = <T>(one: T, other: T) => (Math.random() < 0.5 ? one : other);

export function steppedDown({ wire }: Scene): Promise<void> {
  return wire!.stepDown({
    ms: between(1_000, 10_000),
    within: perhaps(true, false),
    staleMs: perhaps(0, between(100, 2_000)),
  });
}

/** What is committed is not said, up to three times. */
export const deafened = ({ wire }: Scene) => untilFelt(wire!, 'commit');

export const interruptedReads = ({ wire }: Scene) =>
  untilFelt(wire!, oneAtRandom<Due>(['cursor', 'plan', 'time'])!);

type Due = Parameters<StrictWire['next']>[0];

async function untilFelt(wire: StrictWire, what: Due): Promise<void> {
  wire.next(what, Math.ceil(between(0, 3)));
  await eventually(() => {
    if (wire.isDue(what)) throw new Error(`nobody has felt it yet: ${what}`);
  }, FELT_MS).catch(() => wire.next(what, 0)); // nobody reads on, perhaps
}

export async function lagged({ wire }: Scene): Promise<void> {
  await wire!.lag(between(100, 2_000));
  await setTimeout(LAG_MS);
  await wire!.lag(0);
}

const COLLECTIONS = ['counters', 'tickets', 'accounts', 'push_receipts', 'markers', 'channels', 'deliveries'];

export const locked = ({ wire }: Scene) => wire!.holdLock(oneAtRandom(COLLECTIONS)!, between(200, 2_000));
