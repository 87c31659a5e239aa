import { setImmediate as othersTurn } from 'node:timers/promises';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { renderRecord, type Company, type RenderedRecord } from '../../domain/render-record';
import type { Push } from '../../domain/validate-push';

// A few milliseconds of work.
const SLICE = 250;

/** Renders and hashes all records before the transaction begins, letting other requests through in between. */
export async function renderPush(
  push: Push,
  company: Company,
): Promise<Record<EntityType, RenderedRecord[]>> {
  const rendered: Record<EntityType, RenderedRecord[]> = {
    accounts: [],
    contracts: [],
    tickets: [],
    settlements: [],
  };
  for (const type of ENTITY_TYPES) {
    for (const [index, record] of push.records[type].entries()) {
      if (index % SLICE === 0) await othersTurn();
      rendered[type].push(renderRecord(type, record, company));
    }
  }
  return rendered;
}
