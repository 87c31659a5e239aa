import fc from 'fast-check';
import type { Agent } from 'undici';
import { loopbackAgent } from '../setup/loopback-agent';
import { closeStore, type Store } from '../../store/connect';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { type Act, answers, cast, type CustomerAnswer, sequence, turns } from './acts';
import { heldBy, outOfOrder, unkept } from './promise';
import { Stage } from './stage';
import { Turns } from './turns';

// Pushes that overlap come from several processes: the line that one process keeps must not order them here.
jest.mock('../../store/push-turn', () => ({ waitForTurn: async () => () => {} }));

const BUDGET_MS = 14_000;
// A failure prints its seed and path: GDX_SEED=<seed> GDX_PATH=<path> npx jest properties -t <property>
const { GDX_SEED, GDX_PATH, GDX_CASES } = process.env;
const seed = Number(GDX_SEED ?? 20261121); // the same cases in every run; GDX_SEED=$RANDOM looks for more
const limitMs = GDX_CASES ? 3_600_000 : 240_000; // as many cases as were asked for
const parameters = { seed, numRuns: Number(GDX_CASES ?? 60), ...(GDX_PATH ? { path: GDX_PATH } : {}) };

let store: Store;
let agent: Agent;
let cases = 0;
let played = 0;
let began = 0;

beforeAll(async () => {
  store = await openStore();
  agent = loopbackAgent();
});
beforeEach(() => {
  played = 0;
  began = Date.now();
});
afterEach(() => {
  console.log(`${expect.getState().currentTestName}: seed ${seed}, ${played} cases`);
  expect(played).toBeGreaterThan(0);
});
afterAll(async () => {
  await agent.close();
  await closeStore(store);
});

/** The promise, once faults have stopped and the runs have come to their end. */
async function expectPromiseKept(
  actors: Record<string, Act[]>,
  replies: CustomerAnswer[],
  interleaved?: Turns,
): Promise<void> {
  // A slow machine plays fewer cases, not longer; one that is asked for by its path is always played.
  if (!GDX_PATH && !GDX_CASES && Date.now() - began > BUDGET_MS) return;
  played += 1;
  const customer = await FakeCustomer.start();
  try {
    await playOut(new Stage(store, customer, agent, ++cases, interleaved), actors, replies, interleaved);
  } finally {
    await customer.stop();
  }
}

async function playOut(
  stage: Stage,
  actors: Record<string, Act[]>,
  replies: CustomerAnswer[],
  interleaved?: Turns,
): Promise<void> {
  const { customer } = stage;
  await stage.open(replies);
  const acting = Object.entries(actors).map(
    ([name, acts]) => [name, () => stage.perform(name, acts)] as const,
  );
  if (interleaved) await interleaved.play(Object.fromEntries(acting));
  else for (const [, act] of acting) await act();
  customer.script = () => 200;
  const after = new Stage(store, customer, agent, cases);
  const run = { act: 'run', pages: 99, attempts: 1, again: false } as const;
  await after.perform('the end', [{ act: 'resume' }, run, run, run]);
  // A record refused alone is not missed but set aside: it waits to be released, and then comes.
  await after.perform('the end', [{ act: 'release' }, run]);

  expect(heldBy(customer)).toEqual(stage.acknowledged);
  expect(unkept(stage)).toEqual([]);
  expect(outOfOrder(customer)).toEqual([]);
}

test(
  'sequences of pushes, runs, resets, pauses and page sizes keep the promise',
  async () => {
    const property = fc.asyncProperty(sequence, answers, (acts, replies) =>
      expectPromiseKept({ everybody: acts }, replies),
    );
    await fc.assert(property, parameters);
  },
  limitMs,
);

test(
  'interleavings of them keep the promise',
  async () => {
    const property = fc.asyncProperty(cast, answers, turns, (actors, replies, order) =>
      expectPromiseKept(actors, replies, new Turns(order)),
    );
    await fc.assert(property, parameters);
  },
  limitMs,
);
