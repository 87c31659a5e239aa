import type { ClientSession } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { records } from './records';

/** How many records each account has, up to and including a position; one that has none is left out. */
export async function countByAccount(
  store: Store,
  type: EntityType,
  accounts: string[],
  upTo: number,
  session: ClientSession,
): Promise<Map<string, number>> {
  const counted = await records(store, type)
    .aggregate<{ _id: string; total: number }>(
      [
        { $match: { account_ids: { $in: accounts }, position: { $lte: upTo } } },
        { $project: { account_ids: 1 } },
        { $unwind: '$account_ids' },
        { $match: { account_ids: { $in: accounts } } }, // a split names others too
        { $group: { _id: '$account_ids', total: { $sum: 1 } } },
      ],
      { session },
    )
    .toArray();
  return new Map(counted.map(({ _id, total }) => [_id, total]));
}
