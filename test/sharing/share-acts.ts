import fc from 'fast-check';
import type { EntityType } from '../../domain/records/entity-types';

export const TYPES = ['accounts', 'tickets'] as const satisfies EntityType[];
export const ACCOUNTS = ['1001', '1002', '1003'];
/** Granted without its earlier records, but for grants that say `earlier`; the others with them. */
export const ONLY_NEW = '1003';
export const PARTNERS = ['policy-1', 'policy-2'];

export interface PushedVersion {
  type: (typeof TYPES)[number];
  id: number;
  /** Whose ticket it is, a split when there are several; an account is its own. */
  of: string[];
  note: number;
}

export type FarmerAct = {
  act: 'grant' | 'revoke';
  partner: string;
  accounts: string[];
  /** Of a grant: the earlier records of ONLY_NEW too. */
  earlier: boolean;
  /** The process dies after so many calls to the store. */
  calls: number;
};

/** The customer reads what it is to delete, or says that it has deleted what it has of an account. */
export type CustomerAct =
  | { act: 'read ended'; calls: number }
  | { act: 'deleted'; account: string; calls: number };

export type ShareAct =
  | FarmerAct
  | CustomerAct
  | { act: 'push'; records: PushedVersion[] }
  | { act: 'run'; pages: number; attempts: number; again: boolean }
  | { act: 'reset'; type: (typeof TYPES)[number]; back: number }
  | { act: 'page size'; size: number }
  /** The ERP declares a field as naming nobody, or no longer. */
  | { act: 'declare'; on: boolean }
  /** Lets others go first. */
  | { act: 'wait'; steps: number };

const pick = <T>(...values: T[]) => fc.constantFrom(...values);

/** The process dies after so many, at times. */
const calls = pick(99, 99, 99, 99, 99, 1, 2, 4);

const push: fc.Arbitrary<ShareAct> = fc.record({
  act: fc.constant('push'),
  records: fc.array(
    fc.record({
      type: pick(...TYPES, 'tickets' as const),
      id: fc.nat(3),
      of: fc.subarray(ACCOUNTS, { minLength: 1, maxLength: 2 }),
      note: fc.nat(2),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const choice: fc.Arbitrary<ShareAct> = fc.record({
  act: pick<FarmerAct['act']>('grant', 'grant', 'revoke'),
  partner: pick(PARTNERS[0]!, ...PARTNERS),
  // Few accounts, so that the hands meet.
  accounts: pick([ACCOUNTS[0]!], [ACCOUNTS[0]!], [ACCOUNTS[1]!], ACCOUNTS.slice(0, 2), [ONLY_NEW]),
  earlier: pick(false, false, true),
  calls,
});

/** An account is stopped, and shared again under the same reference or another: nobody asks any more that it be deleted. */
const changeOfMind = fc
  .record({ accounts: pick([ACCOUNTS[0]!], ACCOUNTS.slice(0, 2)), again: pick(...PARTNERS) })
  .map(({ accounts, again }) =>
    (['grant', 'revoke', 'grant'] as const).map((act, index): ShareAct => ({
      act,
      partner: index < 2 ? PARTNERS[0]! : again,
      accounts,
      earlier: false,
      calls: 99,
    })),
  );

/** At once, late, where the account is shared again, or never. */
const deletion: fc.Arbitrary<ShareAct> = fc.oneof(
  fc.record({ act: fc.constant('read ended' as const), calls }),
  fc.record({ act: fc.constant('deleted' as const), account: pick(ACCOUNTS[0]!, ...ACCOUNTS), calls }),
);

const run: fc.Arbitrary<ShareAct> = fc.record({
  act: fc.constant('run'),
  pages: pick(1, 2, 9),
  attempts: pick(1, 2),
  again: pick(false, false, false, true),
});

const operation: fc.Arbitrary<ShareAct> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('reset'), type: pick(...TYPES), back: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('page size'), size: pick(1, 2, 3) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('declare'), on: fc.boolean() }) },
);

/** Acts that do not all come at the beginning. */
const nowAndThen = (acts: fc.Arbitrary<ShareAct>, minLength: number, maxLength: number) =>
  fc
    .array(fc.tuple(fc.record({ act: fc.constant('wait'), steps: fc.nat(20) }), acts), {
      minLength,
      maxLength,
    })
    .map((pairs) => pairs.flat() as ShareAct[]);

/** What is shared already when the case begins. */
export const sharedBefore = fc.subarray(ACCOUNTS);

/** An ERP, one farmer in two windows, two workers that know nothing of each other, an operator, and the customer, at once. */
export const cast = fc.record({
  erp: nowAndThen(push, 0, 3),
  'farmer, here': fc.oneof(
    { weight: 2, arbitrary: fc.array(choice, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.tuple(choice, changeOfMind).map(([first, then]) => [first, ...then]) },
  ),
  'farmer, there': nowAndThen(choice, 0, 3),
  'worker 1': fc.array(run, { minLength: 1, maxLength: 4 }),
  'worker 2': nowAndThen(run, 0, 2),
  operator: nowAndThen(operation, 0, 2),
  customer: nowAndThen(deletion, 0, 3),
});
