import { addNotice, type Alert } from '../store/alerts/alerts';
import type { Store } from '../store/store';

const DAY_MS = 24 * 3_600_000;

/** Adds a notice to an alert that has been open for a day, once. */
export async function remindAfterADay(
  store: Store,
  { _id, opened_at, message }: Alert,
  now: Date,
): Promise<void> {
  if (now.getTime() - opened_at.getTime() < DAY_MS) return;
  await addNotice(store, _id, { key: 'day', kind: 'day', message: `For 24 hours: ${message}`, at: now });
}
