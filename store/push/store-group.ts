import type { ClientSession } from 'mongodb';
import { giveBackPositions, takePositions } from '../records/counters';
import type { EntityType } from '../../domain/records/entity-types';
import type { Store } from '../store';
import { transact } from '../transact';
import { WriteTimeout } from '../unavailable';
import { writeElevators } from './elevators';
import { writeWords } from './erp-words';
import { findUnchanged, isStillUnchanged, type Unchanged } from './known-records';
import { acquirePushLocks } from './push-locks';
import type { PushQueue } from './push-queue';
import { readReceipts, type ReceiptState, writeReceipts } from './push-receipts';
import { lateAmong } from './time-limit';
import { type PushOutcome, recordCount, type TimedPush, typesOf, type ValidPush } from './valid-push';
import { writeChanged } from './write-changed';

// So few are read while the counter is held, in no more time than the check whether they are still unchanged.
const READ_WHILE_HELD = 100;

/**
 * `outcomes`: of each push, a WriteTimeout where its time was over. `pace`: how many records it wrote in each millisecond in which
 * everybody else waited for the counter, where there was something to change.
 */
export interface StoredGroup {
  outcomes: (PushOutcome | WriteTimeout)[];
  pace?: number | undefined;
}

/**
 * Stores pushes that wait together, all or nothing, in one transaction: as if one after the other, in their order
 * (docs/architecture.md#commit-order, rule 1). No two of them have the same receipt id. Those whose time is over when the
 * counters are taken are left out.
 * @param queue learns that another process was in the way, and is left as soon as the counters are taken
 * @throws WriteTimeout where no counter was free in the time of any; EqualRequest where another process has stored one of them concurrently
 */
export async function storeGroup(store: Store, pushes: TimedPush[], queue?: PushQueue): Promise<StoredGroup> {
  const receipts = await readReceipts(store, pushes);
  const fresh = pushes.filter((push) => receipts.get(push) === 'none');
  let changed: Changed = new Map();
  let late: TimedPush[] = [];
  let pace: number | undefined;
  if (fresh.length > 0) {
    const few = fresh.reduce((sum, push) => sum + recordCount(push), 0) <= READ_WHILE_HELD;
    const unchanged = few ? undefined : await findUnchanged(store, fresh);
    ({ changed, late, pace } = await storeLocked(store, { fresh, unchanged }, queue));
    store.onPushGroup?.(fresh.length);
  }
  const outcomes = pushes.map((push): PushOutcome | WriteTimeout => {
    if (late.includes(push)) return new WriteTimeout('its time was over before it had the counters');
    const state = receipts.get(push)!;
    if (state !== 'none') return repeated(state);
    const count = changed.get(push) ?? 0;
    return { stored: true, changed: count, unchanged: recordCount(push) - count };
  });
  return { outcomes, pace };
}

/**
 * The pushes to write: those that change what is stored, and those that name a record of an earlier push in this group,
 * which may change it before them.
 */
function changingOf(fresh: TimedPush[], unchanged: ReadonlySet<ValidPush>): TimedPush[] {
  const touched = new Set<string>();
  return fresh.filter((push) => {
    const named = typesOf([push]).flatMap((type) => push.records[type].map(({ id }) => `${type} ${id}`));
    if (unchanged.has(push) && !named.some((one) => touched.has(one))) return false;
    named.forEach((one) => touched.add(one));
    return true;
  });
}

/** The outcome of a push whose request id already has a receipt. */
export function repeated(state: ReceiptState): PushOutcome {
  return { stored: false, reason: state === 'same' ? 'repeated' : 'request_id_reused' };
}

/** `fresh`: all that get a receipt. `unchanged`: those of them that changed nothing before the counters were taken. */
interface Group {
  fresh: TimedPush[];
  unchanged: Unchanged | undefined;
}

/** How many records each push has changed. */
type Changed = Map<TimedPush, number>;

async function storeLocked(
  store: Store,
  group: Group,
  queue?: PushQueue,
): Promise<{ changed: Changed; late: TimedPush[]; pace: number | undefined }> {
  const release = await acquirePushLocks(typesOf(group.fresh));
  try {
    const { changed, late, records, since } = await store.client.withSession((session) =>
      transact(
        store,
        session,
        Math.max(...group.fresh.map(({ limit }) => limit.own)),
        (tries) => {
          if (tries > 0) queue?.triedInVain();
          return groupTransaction(store, group, session, () => queue?.leave());
        },
        tracesOf(group),
      ),
    );
    return { changed, late, pace: records > 0 ? records / (performance.now() - since) : undefined };
  } finally {
    release();
  }
}

/** The transaction belongs to the trace of the first, and is linked to those of the others. */
const tracesOf = ({ fresh }: Group) => fresh.flatMap(({ trace }) => trace ?? []);

async function groupTransaction(
  store: Store,
  { fresh, unchanged }: Group,
  session: ClientSession,
  onHeld: () => void,
): Promise<{ changed: Changed; late: TimedPush[]; records: number; since: number }> {
  const changed: Changed = new Map();
  const taken: { type: EntityType; count: number; first: number; at: Date }[] = [];
  // Every counter before any record, in a fixed order: two groups of several types cannot deadlock.
  for (const type of typesOf(fresh)) {
    const count = fresh.reduce((sum, push) => sum + push.records[type].length, 0);
    taken.push({ type, count, ...(await takePositions(store, type, count, session)) });
  }
  const since = performance.now();
  onHeld();
  const late = await lateAmong(store, session, fresh);
  const isInTime = (push: TimedPush) => !late.includes(push);
  const inTime = fresh.filter(isInTime);
  const isStill = unchanged !== undefined && (await isStillUnchanged(store, unchanged, session));
  const writing = isStill ? changingOf(fresh, unchanged.pushes).filter(isInTime) : inTime;
  for (const { type, count, first, at } of taken) {
    const used = await writeChanged(store, type, { changing: writing, changed, first, at, session });
    await giveBackPositions(store, type, count - used, session);
    await writeWords(store, type, inTime, first + used - 1, session);
  }
  for (const { companyId, elevators } of writing) {
    if (elevators.length > 0) await writeElevators(store, companyId, elevators, session);
  }
  await writeReceipts(store, inTime, changed, session);
  return { changed, late, records: writing.reduce((sum, push) => sum + recordCount(push), 0), since };
}
