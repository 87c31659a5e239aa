import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { batchesOf, records } from '../records/records';
import type { Store } from '../store';
import type { Window } from './pieces';
import { MAX_IN_LIST, within } from './seek-positions';

/**
 * How many records each account has in a range of positions, with those that were corrected away from it.
 * Accounts without records are left out. One count per account, so that index keys suffice and no record is read.
 */
export async function countByAccount(
  store: Store,
  type: EntityType,
  accounts: string[],
  window: Window,
  session: ClientSession,
): Promise<Map<string, number>> {
  const totals = new Map(accounts.map((account) => [account, 0]));
  for (const list of batchesOf(accounts, MAX_IN_LIST)) {
    const left = records(store, type).find(
      { left_account_ids: { $in: list }, ...within(window) },
      { projection: { left_account_ids: 1 }, session },
    );
    for await (const { left_account_ids = [] } of left)
      for (const account of left_account_ids)
        if (totals.has(account)) totals.set(account, totals.get(account)! + 1);
  }
  for (const account of accounts) {
    const of = { account_ids: account, ...within(window) };
    const has = await records(store, type).countDocuments(of, { session });
    totals.set(account, totals.get(account)! + has);
  }
  return new Map([...totals].filter(([, total]) => total > 0));
}
