import type { Document } from 'mongodb';
import type { Call } from '../commit-order/rewire';

const stateSet = ({ collection, args }: Call): unknown =>
  collection === 'subscriptions' ? args[1]?.['$set']?.state : undefined;

export const isRevoke = (call: Call) => stateSet(call) === 'revoked';

/** A grant of what was revoked before. */
export const isNewGrant = (call: Call) => stateSet(call) === 'granted';

/** A grant of what was never granted. */
export const isFirstGrant = ({ collection, method }: Call) =>
  collection === 'subscriptions' && method === 'insertMany';

/** Catch-ups being lined up. */
export const isLiningUp = ({ collection, method }: Call) =>
  collection === 'markers' && method === 'insertMany';

export const insertedBy = ({ args }: Call) => args[0] as unknown as Document[];

/** Inserts other documents than the code under test means to. */
export const inserting = (call: Call, change: (document: Document) => Document) =>
  call.run([insertedBy(call).map(change) as Document, ...call.args.slice(1)]);
