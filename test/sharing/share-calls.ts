import type { Document } from 'mongodb';
import type { Around, Call } from '../commit-order/rewire';
import type { stopHere } from '../commit-order/stop-here';

/** The first write of every transaction about what is shared. */
export const isBump = ({ collection, args }: Call) =>
  collection === 'channels' && 'shares_version' in (args[1]?.['$inc'] ?? {});

/** A later call of such a transaction: nobody sees what it writes, and everybody may have to wait for it. */
export const isInside = ({ collection, method, args }: Call) =>
  (['subscriptions', 'consents', 'markers', 'farmer_notices', 'passed_fields'].includes(collection) ||
    method === 'updateMany' ||
    (collection === 'counters' && method === 'find')) &&
  args.some((argument) => argument?.['session']?.inTransaction() === true);

/** The accounts that a call grants. */
export function grantedBy({ collection, method, args }: Call): string[] {
  if (collection !== 'subscriptions') return [];
  if (method === 'insertMany') return (args[0] as unknown as Document[]).map(({ account }) => account);
  if (args[1]?.['$set']?.state !== 'granted') return [];
  return (args[0]!['_id'].$in as string[]).map((id) => JSON.parse(id)[3]);
}

/** What a grant without the earlier records takes as their end. */
export const isCounterRead = ({ collection, method }: Call) => collection === 'counters' && method === 'find';

/** A plan takes an epoch of the channel's own marker, and its position as the end of the catch-ups. */
export const isBeginning = ({ collection, method, args }: Call) =>
  collection === 'markers' && method === 'findOneAndUpdate' && 'epoch' in (args[0] ?? {});

/** Catch-ups that a plan begins. */
export const isLiningUp = ({ collection, method }: Call) =>
  collection === 'markers' && method === 'insertMany';

/** Inserts other documents than the code under test means to. */
export const inserting = (call: Call, change: (document: Document) => Document) =>
  call.run([(call.args[0] as unknown as Document[]).map(change) as Document, ...call.args.slice(1)]);

/** A catch-up that is through is removed. */
export const isFinish = ({ collection, method, args }: Call) =>
  collection === 'markers' && method === 'bulkWrite' && 'epoch' in (args[0]?.[0]?.deleteOne?.filter ?? {});

/** Stops when the first call of a kind has been answered. */
export function stopAt(kind: (call: Call) => boolean, { here }: ReturnType<typeof stopHere>): Around {
  let stopped = false;
  return async (call) => {
    const answer = await call.run();
    if (stopped || !kind(call)) return answer;
    stopped = true;
    await here();
    return answer;
  };
}
