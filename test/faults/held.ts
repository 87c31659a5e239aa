import { ENTITY_TYPES } from '../../domain/records/entity-types';
import type { FakeCustomer, ReceivedPage } from '../setup/fake-customer';

/** The confirmed pages that brought a version of a record which an earlier one had brought. */
export function repeatedPages(customer: FakeCustomer): ReceivedPage[] {
  const brought = new Set<string>();
  return customer.confirmed().filter(({ entityType, records }) => {
    const versions = records.map(({ id, note }) => `${entityType} ${id} ${String(note)}`);
    const again = versions.some((version) => brought.has(version));
    for (const version of versions) brought.add(version);
    return again;
  });
}

/** The records that the customer holds in another version than the one that is due, or not at all. */
export function missing(due: Map<string, string>, customer: FakeCustomer): string[] {
  const held = new Map<string, unknown>();
  for (const type of ENTITY_TYPES) {
    for (const record of customer.holds(type).values())
      held.set(`${type} ${record.remote_id}`, record['note']);
  }
  return [...due].flatMap(([record, note]) => (held.get(record) === note ? [] : [record]));
}
