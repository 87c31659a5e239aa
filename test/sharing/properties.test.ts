import fc from 'fast-check';
import type { Agent } from 'undici';
import { loopbackAgent } from '../setup/loopback-agent';
import { closeStore, type Store } from '../../store/connect';
import { answers, type CustomerAnswer, turns } from '../commit-order/acts';
import { Turns } from '../commit-order/turns';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { cast, type ShareAct, sharedBefore } from './share-acts';
import { ShareStage } from './share-stage';

const BUDGET_MS = 24_000;
// A failure prints its seed and path (test/sharing/README.md).
const { GDX_SEED, GDX_PATH, GDX_CASES } = process.env;
const seed = Number(GDX_SEED ?? 20261121); // the same cases in every run; GDX_SEED=$RANDOM looks for more
const limitMs = GDX_CASES ? 3_600_000 : 240_000; // as many cases as were asked for
const parameters = { seed, numRuns: Number(GDX_CASES ?? 60), ...(GDX_PATH ? { path: GDX_PATH } : {}) };

let store: Store;
let agent: Agent;
let cases = 0;
let began = 0;

beforeAll(async () => {
  store = await openStore();
  agent = loopbackAgent();
  began = Date.now();
});
afterAll(async () => {
  await agent.close();
  await closeStore(store);
});

async function expectPromiseKept(
  before: string[],
  actors: Record<string, ShareAct[]>,
  replies: CustomerAnswer[],
  order: Turns,
): Promise<void> {
  // A slow machine plays fewer cases, not longer; one that is asked for by its path is always played.
  if (!GDX_PATH && !GDX_CASES && Date.now() - began > BUDGET_MS) return;
  const customer = await FakeCustomer.start();
  try {
    const stage = new ShareStage(store, customer, agent, ++cases, order);
    await stage.open(replies, before);
    await stage.play(actors);
    await stage.finish();
    expect(await stage.broken()).toEqual({ missing: [], leaks: [], outOfOrder: [] });
  } finally {
    await customer.stop();
  }
}

test(
  'nothing shared is missing and nothing unshared is sent, in whatever order they come',
  async () => {
    const property = fc.asyncProperty(sharedBefore, cast, answers, turns, (before, actors, replies, order) =>
      expectPromiseKept(before, actors, replies, new Turns(order)),
    );
    try {
      await fc.assert(property, parameters);
    } finally {
      console.log(`seed ${seed}, ${cases} cases`);
    }
    expect(cases).toBeGreaterThan(0);
  },
  limitMs,
);
