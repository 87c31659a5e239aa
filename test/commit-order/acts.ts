import fc from 'fast-check';
import type { EntityType } from '../../domain/records/entity-types';
import type { Turn } from './turns';

export const TYPES = ['accounts', 'tickets'] as const satisfies EntityType[];
export type FedType = (typeof TYPES)[number];

export interface PushedVersion {
  type: FedType;
  id: number;
  /** What changes; few, so that pushes without a change come too. */
  note: number;
  deleted: boolean;
}

export type Act =
  /** `apart`: each ticket in a push of its own, all at once. */
  | { act: 'push'; records: PushedVersion[]; apart: boolean }
  /** Plan and deliver, `pages` of each window, in one or two attempts; `again` repeats the plan before it. */
  | { act: 'run'; pages: number; attempts: number; again: boolean }
  | { act: 'reset'; type: FedType; back: number }
  | { act: 'pause' }
  | { act: 'resume' }
  | { act: 'page size'; size: number }
  /** Of all that is set aside. */
  | { act: 'release' }
  /** Lets others go first; of no meaning to one who is alone. */
  | { act: 'wait'; steps: number };

export type CustomerAnswer = 200 | 503 | 409 | 413 | 'hang-up';

const pick = <T>(...values: T[]) => fc.constantFrom(...values);

const push: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('push'),
  apart: fc.boolean(),
  records: fc.array(
    fc.record({ type: pick(...TYPES), id: fc.nat(3), note: fc.nat(3), deleted: pick(false, false, true) }),
    { minLength: 1, maxLength: 4 },
  ),
});

const run: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('run'),
  pages: pick(1, 2, 9),
  attempts: pick(1, 2),
  again: pick(false, false, false, true),
});

const operation: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('reset'), type: pick(...TYPES), back: fc.nat(4) }),
  },
  { weight: 1, arbitrary: pick<Act>({ act: 'pause' }, { act: 'resume' }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('page size'), size: pick(1, 2, 3) }) },
  { weight: 1, arbitrary: pick<Act>({ act: 'release' }) },
);

/** Answers that the customer gives in turn; the last ones of a case are all 200. */
export const answers = fc.array(
  pick<CustomerAnswer>(200, 200, 200, 200, 200, 503, 409, 409, 413, 'hang-up'),
  {
    maxLength: 20,
  },
);

/** Everything by one hand, one after the other. */
export const sequence = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: push },
    { weight: 3, arbitrary: run },
    { weight: 2, arbitrary: operation },
  ),
  { minLength: 3, maxLength: 14 },
);

/** Acts that do not all come at the beginning. */
const nowAndThen = (acts: fc.Arbitrary<Act>, most: number): fc.Arbitrary<Act[]> =>
  fc
    .array(fc.tuple(fc.record({ act: fc.constant('wait'), steps: fc.nat(25) }), acts), { maxLength: most })
    .map((pairs) => pairs.flat());

/** Two ERPs, two workers that know nothing of each other and an operator, at once. */
export const cast = fc.record({
  'erp 1': fc.array(push, { minLength: 1, maxLength: 3 }),
  'erp 2': nowAndThen(push, 2),
  'worker 1': fc.array(run, { minLength: 1, maxLength: 3 }),
  'worker 2': nowAndThen(run, 2),
  operator: nowAndThen(operation, 3),
});

export const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({ who: fc.nat(4), steps: pick(1, 1, 3, 8, 20) }),
  { minLength: 4, maxLength: 40 },
);
