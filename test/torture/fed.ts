import { randomUUID } from 'node:crypto';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { recordChannel } from '../../tools/judge/record-history';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer, type Script } from '../setup/fake-customer';

/** A channel and its customer. */
export interface Fed {
  slug: string;
  apiKey: string;
  customer: FakeCustomer;
}

export async function addFed(
  store: Store,
  name: string,
  settings: { page_size: number; cadence_ms: number },
  script?: Script,
): Promise<Fed> {
  const slug = `${name}-${randomUUID().slice(0, 8)}`; // all tests share one Temporal
  const customer = await FakeCustomer.start(script);
  const { apiKey, signingSecret } = await addTestChannel(store, slug, customer.baseUrl, settings);
  recordChannel(slug, 'all', signingSecret);
  return { slug, apiKey, customer };
}

/** `<entity type> <id>` -> the note that the customer holds. */
export const heldNotes = ({ customer }: Fed) =>
  new Map(
    ENTITY_TYPES.flatMap((type) =>
      [...customer.holds(type).values()].map((held): [string, unknown] => [
        `${type} ${held.remote_id}`,
        held['note'],
      ]),
    ),
  );
