import type { Document } from 'mongodb';
import { isMove, isReset } from '../commit-order/both-halves';
import type { Call } from '../commit-order/rewire';
import { isFinish } from '../sharing/share-calls';

// Calls of the code without one rule of the models, for `rewire`.

export const withoutEpoch = (call: Call) => {
  if (!isMove(call)) return call.run();
  const [{ epoch: _, ...filter }, ...rest] = call.args as [Document, Document];
  return call.run([filter, ...rest]);
};

export const withoutNewEpoch = (call: Call) => {
  if (!isReset(call)) return call.run();
  const [filter, { $inc, ...update }] = call.args as [Document, Document];
  return call.run([filter, { ...update, $inc: { generation: $inc['generation'] } }]);
};

/** Lays another page out than the code under test means to. */
export const laying = (change: (set: Document) => Promise<Document>) => async (call: Call) => {
  const [filter, update, ...rest] = call.args as [Document, Document];
  if (call.collection !== 'waiting_pages' || !update?.['$set']?.laid) return call.run();
  return call.run([filter, { $set: await change(update['$set']) }, ...rest]);
};

export const moveTo = (set: Document, position: number): Document => {
  const { confirmation } = set['laid'];
  const to = { ...confirmation.move.to, position };
  return {
    ...set,
    laid: { ...set['laid'], confirmation: { ...confirmation, move: { ...confirmation.move, to } } },
  };
};

export const named = (set: Document, id: string): Document => ({
  ...set,
  page: id,
  laid: { ...set['laid'], headers: { ...set['laid'].headers, 'webhook-id': id } },
});

export const ofAnyPage = (call: Call) => {
  const [filter, ...rest] = call.args as [Document, Document];
  const isOfPage = call.collection === 'waiting_pages' && 'page' in (filter ?? {});
  if (!isOfPage || !('laid' in filter || '$push' in (rest[0] ?? {}))) return call.run();
  const { page: _, ...others } = filter;
  return call.run([others, ...rest]);
};

export const inAnyEpoch = (call: Call) => {
  const isCheck = call.collection === 'markers' && call.method === 'findOne' && 'epoch' in call.args[0]!;
  if (!isCheck) return call.run();
  const [{ epoch: _, ...filter }, ...rest] = call.args as [Document];
  return call.run([filter, ...rest]);
};

export const endingAny = (which: (index: number) => boolean) => (call: Call) => {
  if (!isFinish(call)) return call.run();
  const [removals, ...rest] = call.args as [Document[], Document];
  const other = removals.map(({ deleteOne: { filter } }, index) => ({
    deleteOne: { filter: which(index) ? { _id: filter._id } : filter },
  }));
  return call.run([other, ...rest]);
};

export const upToTheLeast = (call: Call) => {
  const [filter, ...rest] = call.args as [Document];
  const isSought = call.collection === 'tickets' && call.method === 'find' && 'account_ids' in filter;
  if (!isSought || (filter['account_ids'].$in ?? []).length < 2) return call.run();
  return call.run([{ ...filter, position: { ...filter['position'], $lte: 2 } }, ...rest]);
};

export const fromTheMarker = (call: Call) => {
  const [filter, update, ...rest] = call.args as [Document, Document];
  if (call.collection !== 'subscriptions' || !update?.['$pull']) return call.run();
  return call.run([filter, { ...update, $set: { from: { tickets: 1, accounts: 0 } } }, ...rest]);
};

export const fromEverywhere = async (call: Call) => {
  const found = await call.run();
  const isSelection = call.collection === 'subscriptions' && call.args[1]?.['projection']?.from;
  return isSelection ? (found as Document[]).map(({ from: _, ...rest }) => rest) : found;
};
