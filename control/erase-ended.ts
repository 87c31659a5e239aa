import { createHash, randomUUID } from 'node:crypto';
import { hasCome, msSince, timeNow } from '../domain/time/elapsed';
import { MINUTE_MS } from '../domain/time/spans';
import type { EntityType } from '../domain/records/entity-types';
import { RecordToRender } from '../domain/records/record-to-render';
import {
  type Ending,
  endings,
  listDue,
  noteEnding,
  removeEnding,
  takeEnding,
} from '../store/callers/endings';
import { isPushed } from '../store/callers/integrations';
import { findEvenClosed } from '../store/channels/channels';
import { TooMuchStored } from '../store/push/stored-bytes';
import { storePush } from '../store/push/store-push';
import { awaitedBy, eraseBeside, eraseLast, eraseSome, highestOf, isLeft, isToBeTold, listGrantedOfEnding, nextToDelete, typesOfEnding } from '../store/sharing/erase-records'; // prettier-ignore
import type { Store } from '../store/store';
import type { Parts } from './record-action';
import { resting } from './resting';
import { revokesOf, shareAccounts } from './share-accounts';

const AT_ONCE = 250;
/** A pass ends here, and the next minute's continues. */
const PASS_MS = 45_000;
/** What was in flight when the last record was erased has ended by then. */
const SETTLED_MS = 15 * MINUTE_MS;

/**
 * Continues the ends that have come of companies and records (docs/contract.md O28): grants, deletions by the way of every push, and
 * once customers have those, erasure. It does not matter in how many processes, nor where one was killed: all is found by what is left.
 */
export async function eraseEnded(parts: Parts, now: Date, atOnce = AT_ONCE): Promise<void> {
  const turns = { atOnce, end: performance.now() + PASS_MS };
  const all = await listDue(parts.store, now);
  if (all.some(({ taken_until }) => taken_until && !hasCome(taken_until))) return; // another process is at it
  const failed: unknown[] = [];
  for (const due of all) {
    if (performance.now() > turns.end) return;
    if (await isCalledOff(parts.store, due)) continue;
    const ending = await takeEnding(parts.store, due);
    if (!ending) continue;
    try {
      if (await step(parts, ending, turns)) await removeEnding(parts.store, ending);
      else await noteEnding(parts.store, ending, { taken_until: timeNow() });
    } catch (error) {
      failed.push(error); // others do not wait for it, nor the next minute's pass
      await noteEnding(parts.store, ending, { taken_until: timeNow() }).catch(() => {});
    }
  }
  if (failed.length > 0) throw failed[0];
}

/** Whether another ERP pushes the company, or it was closed again with another time, perhaps since a moment ago: each batch looks. */
const isCalledOff = async (store: Store, { _id, erase_at, record, company }: Ending) =>
  (!record && (await isPushed(store, company.id))) || !(await endings(store).findOne({ _id, erase_at }));

interface Turns {
  atOnce: number;
  end: number;
}

/** @returns whether nothing of it is left, nor can come */
async function step(parts: Parts, ending: Ending, turns: Turns): Promise<boolean> {
  const { store } = parts;
  await endGrantsOf(parts, ending);
  for (const type of typesOfEnding(ending)) if (!(await deleteAll(store, ending, type, turns))) return false;
  const highest = await highestOf(store, ending);
  if ((await awaitedBy(store, ending, highest)).length > 0) return false;
  if (await isToBeTold(store, ending)) return false;
  if (!ending.told_at) await noteEnding(store, ending, { told_at: timeNow() });
  for (;;) {
    const rests = resting();
    if (await isCalledOff(store, ending)) return false;
    if ((await eraseSome(store, ending, highest, turns.atOnce)) === 0) break;
    if (performance.now() > turns.end) return false;
    await rests();
  }
  await eraseBeside(store, ending);
  if (!ending.told_at || msSince(ending.told_at) < SETTLED_MS) return false;
  await eraseLast(store, ending);
  if (!(await isLeft(store, ending))) return true;
  await noteEnding(store, ending, { deleted_to: {} }); // all is looked through again
  return false;
}

async function endGrantsOf(parts: Parts, ending: Ending): Promise<void> {
  const granted = await listGrantedOfEnding(parts.store, ending);
  const request_id = randomUUID();
  for (const slug of new Set(granted.map(({ channel }) => channel))) {
    const channel = await findEvenClosed(parts.store, slug);
    if (!channel) continue;
    const ofChannel = granted.filter((one) => one.channel === slug);
    const revokes = revokesOf(channel, ofChannel, { reason: ending.reason, request_id });
    await shareAccounts(parts, channel, { revokes }, { requestId: request_id });
  }
}

/** Deletes what is left of a type, as a push of its ERP would. @returns false where its time was over before */
async function deleteAll(
  store: Store,
  ending: Ending,
  type: EntityType,
  { atOnce, end }: Turns,
): Promise<boolean> {
  let after = ending.deleted_to?.[type] ?? 0;
  for (let limit = atOnce; ;) {
    const rests = resting();
    const { ids, to } = await nextToDelete(store, ending, type, { after, limit });
    if (await isCalledOff(store, ending)) return false;
    if (ids.length > 0)
      try {
        await pushDeletions(store, ending, type, ids);
      } catch (error) {
        if (!(error instanceof TooMuchStored)) throw error;
        limit = Math.ceil(limit / 2); // one alone is never too much
        continue;
      }
    ending.deleted_to = { ...ending.deleted_to, [type]: to };
    if (to > after) await noteEnding(store, ending, { deleted_to: ending.deleted_to });
    after = to;
    if (ids.length < limit) return true;
    if (performance.now() > end) return false;
    await rests();
  }
}

async function pushDeletions(
  store: Store,
  { company }: Ending,
  type: EntityType,
  ids: string[],
): Promise<void> {
  const records = { accounts: [], contracts: [], tickets: [], settlements: [] };
  await storePush(store, {
    receiptId: `ending/${randomUUID()}`,
    bodyHash: createHash('sha256').update(ids.join()).digest(),
    companyId: company.id,
    records: {
      ...records,
      [type]: ids.map((id) => new RecordToRender(type, { id, deleted: true }, company)),
    },
    elevators: [],
    warnings: { count: 0, messages: {} },
  });
}
