import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { RecordToRender } from '../../domain/record-to-render';
import type { Company } from '../../domain/render-record';
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

/** Whether nothing of the parsed body is needed any more. */
export const isRendered = ({ records, elevators }: Pick<ValidPush, 'records' | 'elevators'>): boolean =>
  elevators.length === 0 && ENTITY_TYPES.every((type) => records[type].length <= AT_ONCE);
