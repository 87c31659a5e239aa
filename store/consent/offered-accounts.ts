import { legible } from '../../domain/pasted-text';
import type { Channel } from '../channels/channels';
import { batchesOf, ofCompanies, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';

/** An account as the farmer page shows it. */
export interface OfferedAccount {
  id: string;
  remote_id: string;
  name: string;
  company: { id: string; name: string };
}

// More names than one farmer has: a number that a company has put on accounts it knew none for.
const MOST_NAMES = 25;

/** Whether so many different names have the phone, at any company, that it does not say whose the accounts are. */
export async function isEverybodysPhone(store: Store, phone: string): Promise<boolean> {
  const names = new Set<string>();
  const found = records(store, 'accounts').find(
    { phones: phone, deleted_at: null },
    { projection: { wire: 1 } },
  );
  for await (const { wire } of found) {
    names.add(legible(shown(wire).name).replace(/\s+/g, ' ').toLowerCase());
    if (names.size > MOST_NAMES) return true;
  }
  return false;
}

/** The accounts with the verified phone that the channel may receive, in alphabetical order; none with everybody's. */
export async function offeredAccounts(
  store: Store,
  channel: Channel,
  phone: string,
): Promise<OfferedAccount[]> {
  if (await isEverybodysPhone(store, phone)) return [];
  const filter = { phones: phone, deleted_at: null, ...ofCompanies(channel) };
  const found = records(store, 'accounts').find(filter, { projection: { wire: 1 } });
  return byName(await found.map(({ wire }) => shown(wire)).toArray());
}

/** Every account that carries the phone, at any company, in alphabetical order; deleted ones included. */
export async function carriedAccounts(
  store: Store,
  phone: string,
): Promise<(OfferedAccount & { deleted: boolean })[]> {
  const found = records(store, 'accounts').find(
    { phones: phone },
    { projection: { wire: 1, deleted_at: 1 } },
  );
  const show = ({ wire, deleted_at }: Pick<RecordDocument, 'wire' | 'deleted_at'>) => ({
    ...shown(wire),
    deleted: deleted_at !== null,
  });
  return byName(await found.map(show).toArray());
}

/** The accounts with these ids, deleted ones included: a shared account stays visible until it is revoked. */
export async function accountsById(store: Store, ids: string[]): Promise<OfferedAccount[]> {
  const accounts: OfferedAccount[] = [];
  for (const batch of batchesOf(ids)) {
    const found = records(store, 'accounts').find({ _id: { $in: batch } }, { projection: { wire: 1 } });
    accounts.push(...(await found.map(({ wire }) => shown(wire)).toArray()));
  }
  return byName(accounts);
}

const byName = <T extends OfferedAccount>(accounts: T[]): T[] =>
  accounts.sort((a, b) => a.name.localeCompare(b.name));

/** Of each record as it comes: it may have megabytes, of which little is shown. */
function shown(wire: Buffer): OfferedAccount {
  const { account } = JSON.parse(wire.toString('utf8')) as { account: OfferedAccount };
  const { id, remote_id, name, company } = account;
  return { id, remote_id, name, company };
}
