import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { renderRecord, type Company, type RenderedRecord } from '../../domain/render-record';
import type { Push } from '../../domain/validate-push';

// A few milliseconds of work.
const BATCH = 250;

/** Renders and hashes all records before the transaction, yielding to other requests between batches. */
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
      if (index % BATCH === 0) await yieldToEventLoop();
      rendered[type].push(renderRecord(type, record, company));
    }
  }
  return rendered;
}
