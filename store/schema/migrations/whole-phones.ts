import { phonesOf } from '../../../domain/render-record';
import { records, type RecordDocument } from '../../records/records';
import type { Store } from '../../store';

type Before = Pick<RecordDocument, '_id' | 'wire' | 'phones'>;

const withPhones = { phones: { $exists: true, $ne: [] } };

export async function planWholePhones(store: Store): Promise<string[]> {
  const count = await records(store, 'accounts').countDocuments(withPhones);
  return count === 0
    ? []
    : [`${count} accounts: farmers are found by whole phones, not by the last ten digits`];
}

/** An ERP that pushes the same again changes nothing, so what was derived from longer and shorter numbers would stay. */
export async function wholePhones(store: Store): Promise<void> {
  const accounts = records(store, 'accounts');
  const found = accounts.find<Before>(withPhones, { projection: { wire: 1, phones: 1 } });
  for await (const { _id, wire, phones = [] } of found) {
    const { account } = JSON.parse(wire.toString('utf8')) as { account: { phones?: unknown } };
    const whole = phonesOf(account.phones);
    if (whole.join() !== phones.join())
      await accounts.updateOne({ _id, phones }, { $set: { phones: whole } });
  }
}
