import type { Filter } from 'mongodb';
import { legible } from '../../domain/text/pasted-text';
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

/**
 * A company with more than this on the accounts that list one phone is crowded: more names than one farmer has (it put a number
 * on accounts that had none), or more accounts or bytes, deleted accounts included, than anybody could choose from.
 */
export const MOST_OF_A_COMPANY = { names: 25, accounts: 10_000, bytes: 64 * 1024 * 1024 };

/** The companies that list the phone on more than `most`, so that it identifies no farmer there. */
export async function crowdedCompanies(
  store: Store,
  phone: string,
  most = MOST_OF_A_COMPANY,
): Promise<string[]> {
  const crowded: string[] = [];
  // Reads no more of a company than shows that it is crowded.
  for (;;) {
    const next = await crowdedCompany(store, { phones: phone, company_id: { $nin: crowded } }, most);
    if (next === undefined) return crowded;
    crowded.push(next);
  }
}

async function crowdedCompany(
  store: Store,
  filter: Filter<RecordDocument>,
  most: typeof MOST_OF_A_COMPANY,
): Promise<string | undefined> {
  const found = new Map<string, { names: Set<string>; accounts: number; bytes: number }>();
  const projection = { wire: 1, deleted_at: 1 };
  for await (const { wire, deleted_at } of records(store, 'accounts').find(filter, { projection })) {
    const { company, name } = shown(wire);
    const of = found.get(company.id) ?? { names: new Set(), accounts: 0, bytes: 0 };
    found.set(company.id, of);
    if (deleted_at === null) of.names.add(legible(name).replace(/\s+/g, ' ').toLowerCase());
    of.accounts += 1;
    of.bytes += wire.length;
    if (of.names.size > most.names || of.accounts > most.accounts || of.bytes > most.bytes) return company.id;
  }
  return undefined;
}

const carrying = (phone: string) => ({ phones: phone, deleted_at: null });

/** The accounts with the verified phone that the channel may receive, in alphabetical order; none of a company that is crowded. */
export async function offeredAccounts(
  store: Store,
  channel: Channel,
  phone: string,
  crowded: string[],
): Promise<OfferedAccount[]> {
  const filter = { $and: [ofCompanies(channel), { company_id: { $nin: crowded } }], ...carrying(phone) };
  const found = records(store, 'accounts').find(filter, { projection: { wire: 1 } });
  return byName(await found.map(({ wire }) => shown(wire)).toArray());
}

/**
 * Every account that carries the phone, in alphabetical order; deleted ones included, and of crowded companies only those of these
 * ids.
 */
export async function carriedAccounts(
  store: Store,
  phone: string,
  crowded: string[],
  ids: string[],
): Promise<(OfferedAccount & { deleted: boolean })[]> {
  const isMeant = [{ company_id: { $nin: crowded } }, { _id: { $in: ids }, company_id: { $in: crowded } }];
  const found = records(store, 'accounts').find(
    { phones: phone, $or: isMeant },
    { projection: { wire: 1, deleted_at: 1 } },
  );
  const show = ({ wire, deleted_at }: Pick<RecordDocument, 'wire' | 'deleted_at'>) => ({
    ...shown(wire),
    deleted: deleted_at !== null,
  });
  return byName(await found.map(show).toArray());
}

/**
 * The accounts with these ids, deleted ones included: a shared account stays visible until it is revoked. Once so many bytes of them
 * were read, the rest are shown by their ids.
 * @param phone whose farmer reads them: one that carries another phone may be somebody else's by now, and its name is its id
 */
export async function accountsById(
  store: Store,
  ids: string[],
  { mostBytes = Infinity, phone }: { mostBytes?: number; phone?: string } = {},
): Promise<OfferedAccount[]> {
  const accounts: OfferedAccount[] = [];
  let bytes = 0;
  for (const batch of batchesOf(ids)) {
    const left = new Set(batch);
    for await (const { _id, wire, phones } of readAccounts(store, batch, bytes <= mostBytes)) {
      if (!left.delete(_id)) continue;
      bytes += wire?.length ?? 0;
      const isTheirs = phone === undefined || phones?.includes(phone);
      accounts.push(wire ? { ...shown(wire), ...(!isTheirs && { name: _id }) } : nameless(_id));
      if (wire && bytes > mostBytes) break;
    }
    for await (const { _id } of readAccounts(store, bytes > mostBytes ? [...left] : [], false))
      accounts.push(nameless(_id));
  }
  return byName(accounts);
}

function readAccounts(store: Store, ids: string[], isWhole: boolean) {
  const projection = isWhole ? { wire: 1, phones: 1 } : { _id: 1 };
  return records(store, 'accounts').find<{ _id: string; wire?: Buffer; phones?: string[] }>(
    { _id: { $in: ids } },
    { projection },
  );
}

const byName = <T extends OfferedAccount>(accounts: T[]): T[] =>
  accounts.sort((a, b) => a.name.localeCompare(b.name));

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
// As render-record.ts begins every account: what is shown stands before the ERP's other fields.
const HEAD = new RegExp(String.raw`^\{"account":\{.*?"company":\{"id":${TEXT},"name":${TEXT}\}`, 's');
const LONGEST_HEAD = 16 * 1024;

/** Parses only the head of a record where it can, as a record may have megabytes and little of it is shown. */
function shown(wire: Buffer): OfferedAccount {
  const head = HEAD.exec(wire.toString('utf8', 0, LONGEST_HEAD))?.[0];
  const json = head ? `${head}}}` : wire.toString('utf8');
  const { account } = JSON.parse(json) as { account: OfferedAccount };
  const { id, remote_id, name, company } = account;
  return { id, remote_id, name, company };
}

/** An account by its id alone, for whoever is not told its name. A company's id has no `-`. */
export function nameless(id: string): OfferedAccount {
  const [company, ...rest] = id.split('-');
  return { id, remote_id: rest.join('-'), name: id, company: { id: company!, name: company! } };
}
