import type { Filter } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import type { Store } from '../store';

/** Items per query or write: a `$in` of thousands makes a slow plan (docs/architecture.md#in-mongodb). */
const BATCH = 500;

export function* batchesOf<T>(items: T[], size = BATCH): Generator<T[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size);
}

/** One stored entity. `wire` is its finished JSON as the feed sends it, rendered once, in the push (docs/decisions/0005). */
export interface RecordDocument {
  /** `<company_id>-<remote_id>` */
  _id: string;
  company_id: string;
  account_ids: string[];
  /** Accounts that the record was corrected away from; their customers still have it. Left out when there are none. */
  left_account_ids?: string[];
  position: number;
  updated_at: Date;
  created_at: Date;
  deleted_at: Date | null;
  hash: Buffer;
  wire: Buffer;
  render_version: number;
  phones?: string[];
  /** The `traceparent` of the push that changed it last, where traces are on. */
  trace?: string | undefined;
}

/** Since version 2 an account always has `phones`, before the ERP's other fields. */
export const RENDER_VERSION = 2;

/** What one page is made of. */
export type PageRecord = Pick<
  RecordDocument,
  '_id' | 'position' | 'updated_at' | 'wire' | 'account_ids' | 'left_account_ids' | 'trace'
>;

export const records = (store: Store, type: EntityType) => store.db.collection<RecordDocument>(type);

export const recordIndexes = (type: EntityType) => [
  { name: 'position', key: { position: 1 }, unique: true },
  { name: 'company_position', key: { company_id: 1, position: 1 } },
  { name: 'account_position', key: { account_ids: 1, position: 1 } },
  // Partial: a sparse index would hold every record, as each has a position.
  {
    name: 'left_account_position',
    key: { left_account_ids: 1, position: 1 },
    partialFilterExpression: { left_account_ids: { $exists: true } },
  },
  // One stand-in for MongoDB uses no partial index (docs/decisions/0014).
  { name: 'left_account', key: { left_account_ids: 1 }, sparse: true },
  ...(type === 'accounts' ? [{ name: 'phones', key: { phones: 1 } }] : []),
];

export async function findRecord(store: Store, type: EntityType, id: string): Promise<RecordDocument | null> {
  return records(store, type).findOne({ _id: id });
}

/** The ids by which the company's ERP knows its records of a type, deleted ones too. */
export async function remoteIdsOfCompany(
  store: Store,
  type: EntityType,
  company: string,
): Promise<Set<string>> {
  const { from, to } = idsOfCompany(company);
  const found = records(store, type).find({ _id: { $gt: from, $lt: to } }, { projection: { _id: 1 } });
  return new Set((await found.toArray()).map(({ _id }) => _id.slice(from.length)));
}

/** The range of ids that holds all of one company's and no other: a company's id has no `-`, and `.` follows it. */
export const idsOfCompany = (company: string) => ({ from: `${company}-`, to: `${company}.` });

/** As a condition: the ids of one company. */
export function inCompany(company: string): { $gt: string; $lt: string } {
  const { from, to } = idsOfCompany(company);
  return { $gt: from, $lt: to };
}

/** The company of a record's id. */
export const companyOfId = (id: string) => id.slice(0, id.indexOf('-'));

/** The records of a company that may be meant, the feed's id first: an ERP's own id may begin as the feed's do. */
export function idsMeant(company: string, given: string): string[] {
  const { from } = idsOfCompany(company);
  return given.startsWith(from) ? [given, `${from}${given}`] : [`${from}${given}`];
}

/** For a walk over several companies in the order of ids. */
export const byFirstId = (one: { from: string }, other: { from: string }) => (one.from < other.from ? -1 : 1);

/** Filters for records of these companies; of all where none is named. */
export const ofCompanies = ({ companies }: { companies: string[] }): Filter<RecordDocument> =>
  companies.length === 0 ? {} : { company_id: companies.length === 1 ? companies[0]! : { $in: companies } };
