import { count } from '../records/count';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/spans';

// How late changes are confirmed (docs/contract.md O26).

/** A number of confirmed changes, how many of them were late, and the sum of their waits. */
interface Confirmed {
  records: number;
  late: number;
  seconds: number;
}

/** The confirmed changes of one channel and entity type in this week, and in the week `before`. */
export interface Lateness extends Confirmed {
  /** The number of this week since 1970. */
  week: number;
  before?: Confirmed;
}

/** Changes that were stored at the same time, and how long they have waited. */
export interface Wait {
  seconds: number;
  records: number;
}

const WEEK_MS = 7 * DAY_MS;
const GRACE_MS = 5 * MINUTE_MS;

/** A change that waits longer is late. */
export const lateAfter = (cadenceMs: number) => cadenceMs + GRACE_MS;

/** Which records of a page count as changes. */
interface Counting {
  /** Positions up to this one were confirmed before and are sent again by a reset: they do not count. */
  above: number;
  /** Changes stored before this time (ms) are the first load of the channel or of the type: they do not count. */
  born: number;
  /** Until this time (ms) the customer kept the type waiting: the wait counts from then. */
  held: number;
}

/** With the lateness of earlier changes. */
export type Counted = Counting & { lateness: Lateness | undefined };

/** When a channel began to get a type by post: with the channel, or later. */
export const beganAt = (
  { created_at }: { created_at: Date },
  { counted_from = created_at }: { counted_from?: Date } = {},
): Date => (counted_from > created_at ? counted_from : created_at);

/** Derives from a marker and its channel which records count: none for an old marker without `high`. */
export const countedOf = (
  marker: { high?: number; held_until?: Date; counted_from?: Date; lateness?: Lateness },
  channel: { created_at: Date; resumed_at?: Date },
): Counted => ({
  above: marker.high ?? Infinity,
  born: beganAt(channel, marker).getTime(),
  held: Math.max(marker.held_until?.getTime() ?? 0, channel.resumed_at?.getTime() ?? 0),
  lateness: marker.lateness,
});

/** Computes how long the changes on a confirmed page have waited. */
export function waitsOf(
  page: { position: number; updated_at: Date }[],
  { above, born, held }: Counting,
  now: number,
): Wait[] {
  const waits = new Map<number, number>();
  for (const record of page) {
    if (record.position <= above) continue; // before its time is decoded, which costs each record of a reset
    const stored = record.updated_at.getTime();
    if (stored < born) continue;
    waits.set(stored, (waits.get(stored) ?? 0) + 1);
  }
  return [...waits].map(([stored, records]) => {
    return { seconds: Math.max(0, now - Math.max(stored, held)) / 1_000, records };
  });
}

/** Sums up waits, and counts the late changes. */
export function sumWaits(waits: Wait[], cadenceMs: number): Confirmed {
  const sum = { records: 0, late: 0, seconds: 0 };
  for (const { seconds, records } of waits) {
    sum.records += records;
    sum.seconds += records * seconds;
    if (seconds * 1_000 > lateAfter(cadenceMs)) sum.late += records;
  }
  return sum;
}

/** The lateness of the changes on a page, and of the week with them; undefined when there is no change. */
export function latenessOf(
  page: { position: number; updated_at: Date }[],
  { lateness, ...counting }: Counted,
  cadenceMs: number,
  now: number,
) {
  const waits = waitsOf(page, counting, now);
  const sum = sumWaits(waits, cadenceMs);
  return waits.length > 0 ? { waits, ...sum, lateness: addLateness(lateness, sum, now) } : undefined;
}

const NONE: Confirmed = { records: 0, late: 0, seconds: 0 };

/** Adds newly confirmed changes to the known sums. Sums older than the week before are dropped. */
export function addLateness(known: Lateness | undefined, more: Confirmed, now: number): Lateness {
  const week = Math.floor(now / WEEK_MS);
  const isThisWeek = known?.week === week;
  const before = isThisWeek ? known.before : known?.week === week - 1 ? known : undefined;
  return { week, ...plus(isThisWeek ? known : NONE, more), ...(before && { before: plus(before, NONE) }) };
}

const plus = (some: Confirmed, more: Confirmed): Confirmed => ({
  records: some.records + more.records,
  late: some.late + more.late,
  seconds: some.seconds + more.seconds,
});

/** The lateness of a whole channel: the changes confirmed since `since`, and the late ones that still wait. */
export interface HowLate extends Confirmed {
  since: Date;
  waiting: LateNow;
}

/** The changes that are late now, and when the oldest of them was stored. */
export interface LateNow {
  records: number;
  since: Date | null;
}

/** Joins the lateness of a channel's entity types. */
export function howLate(types: { lateness: Lateness | undefined; late: LateNow }[], now: Date): HowLate {
  const week = Math.floor(now.getTime() / WEEK_MS);
  const parts = types.flatMap(({ lateness }) => (lateness ? partsOf(lateness, week) : []));
  const waiting: LateNow = { records: 0, since: null };
  for (const { late } of types) {
    waiting.records += late.records;
    if (late.since && (!waiting.since || late.since < waiting.since)) waiting.since = late.since;
  }
  return { ...parts.reduce(plus, NONE), since: new Date((week - 1) * WEEK_MS), waiting };
}

function partsOf(known: Lateness, week: number): Confirmed[] {
  if (known.week === week) return known.before ? [known, known.before] : [known];
  return known.week === week - 1 ? [known] : [];
}

/** "99.98 % of 12,304 changes confirmed in time since 2026-11-12, after 41 s on average" */
export function sayConfirmed(
  { delivery, created_at }: { delivery?: 'pull' | 'push'; created_at: Date },
  figure: HowLate,
): string {
  const { records, seconds } = figure;
  const since = created_at > figure.since ? created_at : figure.since;
  if (delivery === 'pull') return 'not counted: the customer collects its pages when it likes';
  const day = since.toISOString().slice(0, 10);
  if (records === 0) return `no change was confirmed since ${day}`;
  const mean = sayLength((seconds / records) * 1_000);
  return `${sayShare(figure)} of ${count(records, 'change')} confirmed in time since ${day}, after ${mean} on average`;
}

/** "12 changes are late, the oldest waits for 1 h 31 min"; undefined when none is late. */
export function sayWaiting({ waiting: { records, since } }: HowLate, now: Date): string | undefined {
  if (!since) return undefined;
  const are = records === 1 ? 'is' : 'are';
  return `${count(records, 'change')} ${are} late, the oldest waits for ${sayLength(now.getTime() - since.getTime())}`;
}

/** The share of changes confirmed in time. It is rounded down, so 100 % means that none was late. */
export function sayShare({ records, late }: HowLate): string {
  return `${Math.floor((1 - late / records) * 10_000) / 100} %`;
}

function sayLength(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (ms < HOUR_MS) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
