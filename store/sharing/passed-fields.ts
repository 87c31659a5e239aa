import type { ClientSession } from 'mongodb';
import { type DeclaredFields, NONE_DECLARED, ShownFields } from '../../domain/records/shown-fields';
import { bumpSharesVersions } from '../channels/shares-version';
import type { Store } from '../store';
import { inTransaction } from '../transact';

/** The fields that an ERP declares as naming nobody. Stored apart from its tokens, which the worker may not read. */
interface PassedFields extends DeclaredFields {
  /** The integration's id. */
  _id: string;
}

const passedFields = (store: Store) => store.db.collection<PassedFields>('passed_fields');

export const passedFieldsIndexes = [{ name: 'company', key: { company_id: 1 } }];

/** What channels of scope `subscribed` are shown of these companies' records; no companies named means every company. */
export async function readShownFields(
  store: Store,
  companies: readonly string[],
  session?: ClientSession,
): Promise<ShownFields> {
  const of = companies.length === 0 ? {} : { company_id: { $in: [...companies] } };
  const declared = await passedFields(store)
    .find(of, session ? { session } : {})
    .toArray();
  return declared.length === 0 ? NONE_DECLARED : new ShownFields(declared);
}

/** By integration. */
export async function listPassedFields(store: Store): Promise<Map<string, readonly string[]>> {
  const all = await passedFields(store).find().toArray();
  return new Map(all.map(({ _id, fields }) => [_id, fields]));
}

/** An ERP's declarations after a change. */
interface PassedFieldsSet {
  fields: readonly string[];
  /** The channels whose next pages follow this; none when nothing has changed. */
  channels: string[];
}

/**
 * Adds and removes declared fields, in one transaction with the `shares_version` of every channel that they concern: no later
 * page is made by the declarations before.
 */
export async function setPassedFields(
  store: Store,
  { _id, company }: { _id: string; company: { id: string } },
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<PassedFieldsSet> {
  return inTransaction(store, async (session) => {
    const before = (await passedFields(store).findOne({ _id }, { session }))?.fields ?? [];
    const kept = before.filter((field) => !remove.includes(field));
    const fields = [...new Set([...kept, ...add])].sort();
    if (fields.join() === before.join()) return { fields, channels: [] };
    const channels = await bumpSharesVersions(store, company.id, session);
    const set = { $set: { company_id: company.id, fields } };
    await passedFields(store).updateOne({ _id }, set, { upsert: true, session });
    return { fields, channels };
  });
}

/** Those of an integration whose company is erased. */
export async function forgetPassedFields(store: Store, integration: string): Promise<void> {
  await passedFields(store).deleteOne({ _id: integration });
}
