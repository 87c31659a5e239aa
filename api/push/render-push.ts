import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { RecordToRender } from '../../domain/record-to-render';
import { refuseTooLarge } from '../../domain/record-too-large';
import { type Company, renderRecord } from '../../domain/render-record';
import type { Push } from '../../domain/validate-push';
import type { ValidPush } from '../../store/push/valid-push';

// Takes a few milliseconds: a small push is rendered completely before it takes its locks.
const AT_ONCE = 250;

/** The records of a push, the first of each type rendered, the others to be rendered on their way into the database. */
export function renderPush(push: Push, company: Company): Record<EntityType, RecordToRender[]> {
  const records = { accounts: [], contracts: [], tickets: [], settlements: [] } as Record<
    EntityType,
    RecordToRender[]
  >;
  for (const type of ENTITY_TYPES) {
    records[type] = push.records[type].map((record) => new RecordToRender(type, record, company));
    for (const one of records[type].slice(0, AT_ONCE)) void one.rendered;
  }
  return records;
}

/** Renders a push that is not stored, and forgets it. @throws RecordTooLarge as storing it would */
export async function tryRendering(push: Push, company: Company): Promise<void> {
  for (const type of ENTITY_TYPES) {
    for (const [index, record] of push.records[type].entries()) {
      if (index % AT_ONCE === 0) await yieldToEventLoop();
      const { id, head, account_ids, phones } = renderRecord(type, record, company);
      refuseTooLarge(type, { id, bytes: head.length, lists: [account_ids, phones] });
    }
  }
  for (const elevator of push.elevators) {
    const bytes = Buffer.byteLength(JSON.stringify(elevator));
    refuseTooLarge('elevators', { id: `${company.id}-${elevator.id}`, bytes });
  }
}

/** Whether nothing of the parsed body is needed any more. */
export const isRendered = ({ records, elevators }: Pick<ValidPush, 'records' | 'elevators'>): boolean =>
  elevators.length === 0 && ENTITY_TYPES.every((type) => records[type].length <= AT_ONCE);
