import type { EntityType } from '../../domain/records/entity-types';
import { eventually } from './eventually';
import type { FakeCustomer } from './fake-customer';

/** Milliseconds from the answer to `ask` to the first page of a type that came after it was asked. */
export async function untilPage(
  customer: FakeCustomer,
  type: EntityType,
  ask: () => Promise<unknown>,
): Promise<number> {
  const ofType = () => customer.pages.filter(({ entityType }) => entityType === type);
  const before = ofType().length;
  await ask();
  const answered = Date.now();
  await eventually(() => expect(ofType().length).toBeGreaterThan(before));
  return Math.max(0, ofType()[before]!.at - answered);
}
