import type { Filter } from 'mongodb';
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

/** The companies at which so many different names have the phone that it does not say whose their accounts are. */
export async function crowdedCompanies(store: Store, phone: string): Promise<string[]> {
  const crowded: string[] = [];
  // Of a crowded company no more is read than shows it.
  for (;;) {
    const next = await crowdedCompany(store, { ...carrying(phone), company_id: { $nin: crowded } });
    if (next === undefined) return crowded;
    crowded.push(next);
  }
}

async function crowdedCompany(store: Store, filter: Filter<RecordDocument>): Promise<string | undefined> {
  const names = new Map<string, Set<string>>();
  for await (const { wire } of records(store, 'accounts').find(filter, { projection: { wire: 1 } })) {
    const { company, name } = shown(wire);
    const known = names.get(company.id) ?? new Set();
    names.set(company.id, known.add(legible(name).replace(/\s+/g, ' ').toLowerCase()));
    if (known.size > MOST_NAMES) return company.id;
  }
  return undefined;
}

const carrying = (phone: string) => ({ phones: phone, deleted_at: null });

/** The accounts with the verified phone that the channel may receive, in alphabetical order; none of a company that has given it to everybody. */
export async function offeredAccounts(
  store: Store,
  channel: Channel,
  phone: string,
): Promise<OfferedAccount[]> {
  const crowded = await crowdedCompanies(store, phone);
  const filter = { $and: [ofCompanies(channel), { company_id: { $nin: crowded } }], ...carrying(phone) };
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
