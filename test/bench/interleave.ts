import { collectGarbage } from '../setup/collect-garbage';

/** One of those that take turns. */
export interface Contestant {
  /** Makes ready for the next round; not timed. */
  prepare?: () => Promise<void>;
  run: () => Promise<void>;
  /** Times are given for one of these: a page, a record. */
  units: number;
}

/** Milliseconds for one unit. */
export interface Lap {
  wall: number;
  /** CPU of this process, whatever else the machine did meanwhile. */
  cpu: number;
}

export type Laps<Name extends string> = Record<Name, Lap[]>;

/**
 * Lets the contestants take turns, A B A B, so that whatever else loads the machine loads them alike. The first
 * round warms up and is dropped.
 */
export async function interleave<Name extends string>(
  contestants: Record<Name, Contestant>,
  rounds: number,
): Promise<Laps<Name>> {
  const names = Object.keys(contestants) as Name[];
  const laps = Object.fromEntries(names.map((name) => [name, [] as Lap[]])) as Laps<Name>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const lap = await timed(contestants[name]);
      if (round > 0) laps[name].push(lap);
    }
  }
  return laps;
}

/** The median of the ratios within each round. */
export function ratio(ours: Lap[], beside: Lap[], of: keyof Lap = 'wall'): number {
  return median(ours.map((lap, round) => lap[of] / beside[round]![of]));
}

export function medianLap(laps: Lap[], of: keyof Lap = 'wall'): number {
  return median(laps.map((lap) => lap[of]));
}

async function timed({ prepare, run, units }: Contestant): Promise<Lap> {
  await prepare?.();
  collectGarbage(); // nobody pays for what another one left behind
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await run();
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: wall / units, cpu: (user + system) / 1_000 / units };
}

/** The value below which this share of them lies. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
