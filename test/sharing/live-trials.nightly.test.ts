import fc from 'fast-check';
import type { Store } from '../../store/store';
import { type Call, rewire } from '../commit-order/rewire';
import { startWorker } from '../setup/start-worker';
import { TestFeed } from '../workflows/test-feed';
import { type LiveTrial, liveTrial } from './live-acts';
import { type Done, LiveStage } from './live-stage';

// A farmer, an ERP and a customer at random steps of runs: real workflows, a real worker, many channels at once.
const { GDX_SEED, GDX_CASES } = process.env;
const seed = Number(GDX_SEED ?? 20261122);
const trials = fc.sample(liveTrial, { seed, numRuns: Number(GDX_CASES ?? 12) });
// More starve a stand-in under load.
const AT_ONCE = 6;

const stages = new Map<string, LiveStage>();
const done: Done = Object.assign(
  { grant: 0, revoke: 0, reset: 0, push: 0, correct: 0, 'correct away': 0, 'correct back': 0 },
  { now: 0, page: 0, look: 0, pages: 0 },
);

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.startWith((store) => startWorker(watched(store)));
});

/** The store as the worker uses it: what it looks up of a trial's channel, the trial sees. */
function watched(store: Store): Store {
  const around = (call: Call) => stages.get(String(call.args[0]?.['_id']))?.atWorker(call) ?? call.run();
  const seen = rewire(store, around).db;
  const db = new Proxy(store.db, {
    get: (target, key) =>
      key === 'collection'
        ? (name: string) => (name === 'channels' ? seen : target).collection(name)
        : (Reflect.get(target, key) as unknown),
  });
  return { ...store, db };
}

async function playTrial(trial: LiveTrial, number: number): Promise<object> {
  const stage = await LiveStage.open(feed, number, done);
  stages.set(stage.slug, stage);
  try {
    await stage.begin(trial.sharedBefore);
    await stage.play(trial);
    return await stage.broken();
  } finally {
    await stage.close();
    stages.delete(stage.slug);
  }
}

const NOTHING = { otherwise: [], missing: [], leaks: [], outOfOrder: [] };

test('whatever is reset, granted, revoked and corrected during runs, the customer holds what is shared now', async () => {
  const left = [...trials.entries()];
  const broken: object[] = [];
  const playOn = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [number, trial] = next;
      const came = await playTrial(trial, number).catch((error: Error) => ({ error: error.stack }));
      if (JSON.stringify(came) !== JSON.stringify(NOTHING)) broken.push({ number, ...came, trial });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, playOn));
  console.log(`seed ${seed}, ${trials.length} trials: ${JSON.stringify(done)}`);
  expect(broken).toEqual([]);
  // How many acts meet a page or a look is up to the machine; each moment must have come.
  const { page, look, ...acts } = done;
  for (const count of Object.values(acts)) expect(count).toBeGreaterThanOrEqual(trials.length / 4);
  expect(page + look).toBeGreaterThan(trials.length / 2);
}, 3_600_000);
