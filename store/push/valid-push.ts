import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { PushWarnings } from '../../domain/records/push-warnings';
import type { RecordToRender } from '../../domain/records/record-to-render';
import type { Words } from '../../domain/records/erp-word';
import type { PushedRecord } from '../../domain/records/validate-push';
import type { TimeLimit } from './time-limit';

/** A validated push. Most are rendered before their transaction, to keep that short; large ones in part (docs/decisions/0029). */
export interface ValidPush {
  /** `<integration id>/<request id>` */
  receiptId: string;
  bodyHash: Buffer;
  companyId: string;
  records: Record<EntityType, RecordToRender[]>;
  elevators: PushedRecord[];
  words?: Words;
  /** The `traceparent` of its request, where traces are on. */
  trace?: string | undefined;
  /** For its receipt. */
  warnings: Pick<PushWarnings, 'count' | 'messages'>;
}

/** One that waits to be stored. */
export interface TimedPush extends ValidPush {
  limit: TimeLimit;
}

export type PushOutcome =
  | { stored: true; changed: number; unchanged: number }
  | { stored: false; reason: 'repeated' | 'request_id_reused' };

/** In the fixed order in which counters and locks are taken. Elevators have no counter of their own, and go under that of accounts. */
export const typesOf = (pushes: readonly ValidPush[]): EntityType[] =>
  ENTITY_TYPES.filter((type) =>
    pushes.some(
      ({ records, elevators, words }) =>
        records[type].length > 0 ||
        (type === 'accounts' && elevators.length > 0) ||
        words?.[type] !== undefined,
    ),
  );

export const recordCount = ({ records }: ValidPush): number =>
  ENTITY_TYPES.reduce((count, type) => count + records[type].length, 0);
