import fc from 'fast-check';
import type { CustomerAgent } from '../../outbound/create-agent';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Store } from '../../store/store';
import { answers, type CustomerAnswer, turns } from '../commit-order/acts';
import { Turns } from '../commit-order/turns';
import { watchRun } from '../model/watch-run';
import { first, played, scaledTest, toldAtOnce } from '../setup/cases';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { ACCOUNTS, cast, PARTNERS, type ShareAct, sharedBefore } from './share-acts';
import { ShareStage } from './share-stage';

const LONGEST_MS = 3_600_000; // a slow machine plays as many cases, only longer

let store: Store;
let agent: CustomerAgent;
let stages = 0;

beforeAll(async () => {
  store = await openStore(undefined, { monitored: true });
  agent = loopbackAgent();
});

async function expectPromiseKept(
  before: string[],
  actors: Record<string, ShareAct[]>,
  replies: CustomerAnswer[],
  { order, delivery }: { order: Turns; delivery: 'pull' | 'push' },
): Promise<void> {
  const customer = await FakeCustomer.start();
  customer.severalSenders = true; // every actor is a worker
  const { checker, stop } = watchRun(store.client, customer);
  const stage = new ShareStage(store, customer, agent, ++stages, order, delivery);
  try {
    await stage.open(replies, before);
    await stage.play(actors);
    await stage.finish();
    expect(await stage.broken()).toEqual({ missing: [], leaks: [], outOfOrder: [], unsaid: [] });
  } finally {
    await stage.close();
    await customer.stop();
    stop();
  }
  expect(checker.broken).toEqual([]); // the models allow the run
}

test('what a customer was asked to delete is not asked for any more once it is shared again', async () => {
  const chosen = { partner: PARTNERS[0]!, accounts: [ACCOUNTS[0]!], earlier: false, calls: 99 };
  const everybody: ShareAct[] = [
    { ...chosen, act: 'grant' },
    { ...chosen, act: 'revoke' },
    { act: 'read ended', calls: 99 },
    { ...chosen, act: 'grant', partner: PARTNERS[1]! },
  ];
  const order = new Turns([{ who: 0, steps: 1 }]);
  await expectPromiseKept([], { everybody }, [], { order, delivery: 'push' });
});

const WAYS = [
  ['', 'push', played(2, 60)],
  [', collected', 'pull', played(1, 40)],
] as const;

scaledTest.each(first(1, WAYS))(
  'nothing shared is missing and nothing unshared is sent, in whatever order they come%s',
  async (_, delivery, cases) => {
    const property = fc.asyncProperty(sharedBefore, cast, answers, turns, (before, actors, replies, order) =>
      expectPromiseKept(before, actors, replies, { order: new Turns(order), delivery }),
    );
    await fc.assert(property, { ...cases, ...toldAtOnce });
  },
  LONGEST_MS,
);
