import fc from 'fast-check';
import type { CustomerAgent } from '../../outbound/create-agent';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Store } from '../../store/store';
import { first, played, scaledTest, toldAtOnce } from '../setup/cases';
import { Collector } from '../setup/collector';
import { watchRun } from '../model/watch-run';
import { FakeCustomer } from '../setup/fake-customer';
import { openStore } from '../setup/open-store';
import { type Act, answers, cast, type CustomerAnswer, sequence, turns, TYPES } from './acts';
import { heldBy, outOfOrder, unkept } from './promise';
import { Stage } from './stage';
import { Turns } from './turns';

// Pushes that overlap come from several processes: the line that one process keeps must not order them here.
jest.mock('../../store/push/push-locks', () => ({ acquirePushLocks: async () => () => {} }));

const LONGEST_MS = 3_600_000; // a slow machine plays as many cases, only longer

let store: Store;
let agent: CustomerAgent;
let stages = 0;

beforeAll(async () => {
  store = await openStore(undefined, { monitored: true });
  agent = loopbackAgent();
});

interface How {
  delivery: 'pull' | 'push';
  turns?: Turns;
}

/** The promise, once faults have stopped and the runs have come to their end; and the models allow the run. */
async function expectPromiseKept(
  actors: Record<string, Act[]>,
  replies: CustomerAnswer[],
  how: How,
): Promise<void> {
  const customer = await FakeCustomer.start();
  customer.severalSenders = how.turns !== undefined; // every actor is a worker
  const stage = new Stage(store, customer, agent, ++stages, how);
  const { checker, stop } = watchRun(store.client, customer);
  const collector = how.delivery === 'pull' ? new Collector(store, stage.slug, customer) : undefined;
  try {
    await stage.open(replies);
    collector?.start(TYPES);
    await playOut(stage, actors, how);
  } finally {
    await collector?.stop();
    await customer.stop();
    stop();
  }
  expect(checker.broken).toEqual([]);
}

async function playOut(
  stage: Stage,
  actors: Record<string, Act[]>,
  { delivery, turns: interleaved }: How,
): Promise<void> {
  const { customer } = stage;
  const acting = Object.entries(actors).map(
    ([name, acts]) => [name, () => stage.perform(name, acts)] as const,
  );
  if (interleaved) await interleaved.play(Object.fromEntries(acting));
  else for (const [, act] of acting) await act();
  customer.script = () => 200;
  const after = new Stage(store, customer, agent, stages, { delivery });
  // A customer who collects may have to come back first.
  const run = { act: 'run', pages: 99, attempts: 99, again: false } as const;
  await after.perform('the end', [{ act: 'resume' }, run, run, run]);
  // A record refused alone is not missed but set aside: it waits to be released, and then comes.
  await after.perform('the end', [{ act: 'release' }, run]);

  expect(heldBy(customer)).toEqual(stage.acknowledged);
  expect(unkept(stage)).toEqual([]);
  expect(outOfOrder(customer)).toEqual([]);
}

// Few where the customer collects: a case takes the time that the customer is away.
const WAYS = [
  ['', 'push', played(2, 60)],
  [', collected', 'pull', played(1, 40)],
] as const;

scaledTest.each(first(1, WAYS))(
  'sequences of pushes, runs, resets, pauses and page sizes keep the promise%s',
  async (_, delivery, cases) => {
    const property = fc.asyncProperty(sequence, answers, (acts, replies) =>
      expectPromiseKept({ everybody: acts }, replies, { delivery }),
    );
    await fc.assert(property, { ...cases, ...toldAtOnce });
  },
  LONGEST_MS,
);

scaledTest.each(first(1, WAYS))(
  'interleavings of them keep the promise%s',
  async (_, delivery, cases) => {
    const property = fc.asyncProperty(cast, answers, turns, (actors, replies, order) =>
      expectPromiseKept(actors, replies, { delivery, turns: new Turns(order) }),
    );
    await fc.assert(property, { ...cases, ...toldAtOnce });
  },
  LONGEST_MS,
);
