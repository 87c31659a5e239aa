import { judge } from '../../demo/judge';
import type { Numbers } from '../../demo/numbers';
import { perType } from '../../demo/per-type';

const right = (): Numbers => ({
  pushed: { requests: 1, records: 9 },
  elevators: { acknowledged: 1, stored: 1 },
  first_delivery: { expected: ['accounts 1 of 1: 2'], received: ['accounts 1 of 1: 2'] },
  quiet: { runs: 2, requests: 0 },
  changes: { pushed: 8, changed: 3, received: 3 },
  outage: { refused: 3, attempts: 4, received: 1 },
  reset: {
    expected: 2,
    dry_run: { records: 2, pages: 1 },
    promised: { records: 2, pages: 1 },
    received: { records: 2, pages: 1 },
  },
  sharing: {
    page: { offered: 2, ticked: 0 },
    earlier: { expected: 5, received: 5 },
    later: { pushed: 2, received: 1 },
    after_revoke: { pushed: 2, received: 0 },
    strangers: 0,
    differing: 0,
    signatures: { verified: 3, wrong: 0, pages: 3 },
  },
  signatures: { verified: 7, wrong: 0, pages: 7 },
  entity_types: perType((type) => {
    const repeats = type === 'tickets' ? 2 : 0;
    return { acknowledged: 2, delivered: 2, repeated: repeats, repeats_expected: repeats, missing: 0 };
  }),
});

test('right numbers pass', () => expect(judge(right())).toEqual([]));

const WRONG: [what: string, make: (numbers: Numbers) => void, sentence: string][] = [
  ['an elevator is lost', (n) => (n.elevators.stored = 0), '1 elevators were acknowledged, 0 are stored'],
  ['a page is short', (n) => (n.first_delivery.received = ['accounts 1 of 1: 1']), 'got accounts 1 of 1: 1'],
  ['no quiet run', (n) => (n.quiet.runs = 0), 'no run without changes'],
  ['a request without a change', (n) => (n.quiet.requests = 1), '1 requests came though nothing'],
  ['unchanged records are sent', (n) => (n.changes.received = 8), '3 of 8 records had changed, 8 came'],
  ['nothing was refused', (n) => (n.outage = { refused: 0, attempts: 1, received: 1 }), 'no try was refused'],
  ['nobody got through', (n) => (n.outage.attempts = 3), 'none got through'],
  ['the change is lost', (n) => (n.outage.received = 0), '1 record waited for the customer, 0 came'],
  ['an empty reset', (n) => (n.reset.expected = 0), 'covers no record'],
  ['another dry run', (n) => (n.reset.dry_run.records = 3), 'the dry run said 3 records, the reset 2'],
  ['a reset too far', (n) => (n.reset.expected = 1), 'promised 2 records, the customer had 1'],
  ['a reset not kept', (n) => (n.reset.received.pages = 2), '2 records on 1 pages, 2 on 2 came'],
  [
    'a page that hides an account',
    (n) => (n.sharing.page.offered = 1),
    'the page offered 1 and had ticked 0',
  ],
  ['a page that ticks by itself', (n) => (n.sharing.page.ticked = 1), 'the page offered 2 and had ticked 1'],
  ['nothing to share', (n) => (n.sharing.earlier.expected = 0), 'had nothing before'],
  ['earlier records are missing', (n) => (n.sharing.earlier.received = 4), 'had 5 records, the lender got 4'],
  ['a later one is missing', (n) => (n.sharing.later.received = 0), '1 was shared, the lender got 0'],
  ['the other account leaks', (n) => (n.sharing.later.received = 2), '1 was shared, the lender got 2'],
  ['a revoke does not count', (n) => (n.sharing.after_revoke.received = 1), 'stopped it, the lender got 1'],
  ['a record of somebody else', (n) => (n.sharing.strangers = 1), '1 records that nobody has shared'],
  ['a shared record differs', (n) => (n.sharing.differing = 2), '2 records that are not as they were'],
  [
    'an unverified page of the lender',
    (n) => (n.sharing.signatures.verified = 2),
    'the lender: 3 pages came',
  ],
  ['a wrong signature', (n) => (n.signatures.wrong = 1), '1 pages had a wrong signature'],
  ['an unverified page', (n) => (n.signatures.verified = 6), '7 pages came, 6 signatures'],
  [
    'nothing acknowledged',
    (n) => (n.entity_types.tickets.acknowledged = 0),
    'tickets: nothing was acknowledged',
  ],
  ['a change is not delivered', (n) => (n.entity_types.accounts.delivered = 1), 'accounts: 2 changes were'],
  ['a change comes twice', (n) => (n.entity_types.contracts.repeated = 1), 'contracts: 1 changes came again'],
  ['a record differs', (n) => (n.entity_types.settlements.missing = 1), 'settlements: 1 records are missing'],
];

test.each(WRONG)('%s: the demo fails and says so', (_, make, sentence) => {
  const numbers = right();
  make(numbers);
  expect(judge(numbers).join('; ')).toContain(sentence);
});
