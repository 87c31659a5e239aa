import fc from 'fast-check';
import { ACCOUNTS, PARTNERS, TYPES } from './share-acts';

/** When an act takes place: at once, while the customer reads a page, or right before the worker looks at the channel. */
export type Moment = 'now' | 'page' | 'look';

export type LiveAct = { when: Moment; afterMs: number } & (
  | { act: 'grant'; partner: string; accounts: string[] }
  | { act: 'revoke'; partner: string; accounts: string[] }
  | { act: 'reset'; type: (typeof TYPES)[number]; back: number }
  /** A ticket of a shared account goes to one that is not shared, or comes back from there. */
  | { act: 'correct' }
  | { act: 'push'; type: (typeof TYPES)[number]; id: number; of: string[] }
);

export interface LiveTrial {
  sharedBefore: string[];
  farmer: LiveAct[];
  erp: LiveAct[];
  customer: LiveAct[];
}

const pick = <T>(...values: T[]) => fc.constantFrom(...values);

const someActs = (act: fc.Arbitrary<object>, minLength: number, maxLength: number) => {
  const when = pick<Moment>('now', 'page', 'page', 'look');
  const timed = fc.tuple(fc.record({ when, afterMs: fc.nat(150) }), act);
  return fc.array(
    timed.map(([moment, what]) => ({ ...moment, ...what }) as LiveAct),
    { minLength, maxLength },
  );
};

const choice = fc.record({
  act: pick('grant', 'grant', 'revoke'),
  partner: pick(PARTNERS[0]!, ...PARTNERS),
  accounts: pick([ACCOUNTS[0]!], [ACCOUNTS[0]!], [ACCOUNTS[1]!], ACCOUNTS.slice(0, 2)),
});
const reset = fc.record({ act: fc.constant('reset'), type: pick(...TYPES), back: fc.nat(7) });
const correction = fc.record({ act: fc.constant('correct') });
const push = fc.record({
  act: fc.constant('push'),
  type: pick(...TYPES),
  id: fc.nat(3),
  of: fc.subarray(ACCOUNTS, { minLength: 1, maxLength: 2 }),
});

/** A farmer, an ERP and a customer, each acting by themselves while the channel delivers. */
export const liveTrial: fc.Arbitrary<LiveTrial> = fc.record({
  sharedBefore: fc.subarray(ACCOUNTS.slice(0, 2), { minLength: 1 }),
  farmer: someActs(choice, 2, 6),
  erp: someActs(fc.oneof(correction, correction, push), 2, 6),
  customer: someActs(reset, 1, 3),
});
