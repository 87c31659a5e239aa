import type { FakeCustomer } from '../setup/fake-customer';
import { TYPES } from './acts';
import { contentOf, type Stage } from './stage';

/** What the customer holds, as the reference has it. */
export function heldBy(customer: FakeCustomer): Map<string, string> {
  return new Map(
    TYPES.flatMap((type) =>
      [...customer.holds(type)].map(([id, record]): [string, string] => [`${type} ${id}`, contentOf(record)]),
    ),
  );
}

/** What a reset promised and no confirmed page has brought since. */
export function unkept({ customer, promises }: Stage): string[] {
  return promises.flatMap(({ since, ids }) => {
    const pages = customer.pages.slice(since).filter(({ status }) => status === 200);
    const sent = new Set(
      pages.flatMap(({ entityType, records }) => records.map(({ id }) => `${entityType} ${id}`)),
    );
    return ids.filter((id) => !sent.has(id));
  });
}

// What was set aside and released goes out by id (docs/decisions/0011), outside any marker.
const RELEASED = '0';

/**
 * Confirmed pages of one attempt whose records go back in time: none may. One delivery brings the catch-ups of several
 * accounts, that of each from its first page. Behind a refusal, a record may come ahead by itself (docs/decisions/0011).
 */
export function outOfOrder(customer: FakeCustomer): string[] {
  const last = new Map<string, string>();
  const failed = new Map<string, boolean>();
  const inOrder = customer.pages.filter(({ headers }) => headers['x-feed-epoch'] !== RELEASED);
  return inOrder.flatMap(({ headers, records, meta, status }) => {
    const attempt = `${headers['x-delivery-id']} ${headers['x-feed-epoch']}`;
    const isAhead = records.length === 1 && failed.get(attempt) === true;
    failed.set(attempt, status !== 200);
    if (status !== 200 || isAhead) return [];
    if (meta.current_page === 1) last.delete(attempt);
    return records.flatMap(({ id, updated_at }) => {
      const before = last.get(attempt) ?? '';
      last.set(attempt, updated_at);
      return updated_at < before ? [`${attempt}: ${id}`] : [];
    });
  });
}
