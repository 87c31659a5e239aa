import type { EntityType } from '../../domain/records/entity-types';
import { formatInstant } from '../../domain/time/instants';
import type { ShownFields } from '../../domain/records/shown-fields';
import { shownRecord } from '../../domain/records/shown-record';
import type { Store } from '../../store/store';
import { type RecordDocument, records } from '../../store/records/records';
import { readShownFields } from '../../store/sharing/passed-fields';
import { listGranted } from '../../store/consent/subscriptions';
import type { FakeCustomer, Received } from '../setup/fake-customer';
import { TYPES } from './share-acts';
import { accountsNamed } from './accounts-named';

/**
 * The records of which an account is shared now, and that the customer does not hold as `shownRecord` shows them. Of an
 * account that was revoked meanwhile nothing is sent any more, so it may be named still in what came before.
 */
export async function heldOtherwise(
  store: Store,
  slug: string,
  company_id: string,
  customer: FakeCustomer,
): Promise<string[]> {
  const shared = (await listGranted(store, slug)).map(({ account }) => account);
  const of = { $in: shared };
  const fields = await readShownFields(store, [company_id]);
  const found = TYPES.map(async (type) => {
    const due = records(store, type).find({
      company_id,
      $or: [{ account_ids: of }, { left_account_ids: of }],
    });
    const held = customer.holds(type);
    return (await due.toArray())
      .filter((record) => !isHeld(type, record, held.get(record._id), { shared, fields }))
      .map(({ _id, updated_at }) => `${type} ${_id} ${formatInstant(updated_at)}`);
  });
  return (await Promise.all(found)).flat();
}

function isHeld(
  type: EntityType,
  record: RecordDocument,
  held: Received | undefined,
  { shared, fields }: { shared: string[]; fields: ShownFields },
): boolean {
  if (!held) return false;
  const named = 'note' in held ? accountsNamed(type, held) : [];
  const channel = { shared: new Set([...shared, ...named]), fields };
  const shown = JSON.parse(shownRecord(type, record, channel).toString()) as object;
  return JSON.stringify(Object.values(shown)[0]) === JSON.stringify(held);
}
