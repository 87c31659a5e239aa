import pino from 'pino';
import { createReconcile } from '../../activities/reconcile';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { eventually } from '../setup/eventually';
import { openStore } from '../setup/open-store';
import { currentDetails } from '../workflows/read-history';
import { TestFeed } from '../workflows/test-feed';

const DAY_MS = 24 * 3_600_000;
const RUNNING = 25;

let feed: TestFeed;
const slugs = Array.from({ length: RUNNING }, (_, index) => `channel-${index + 10}`);

beforeAll(async () => {
  feed = await TestFeed.start();
  for (const slug of slugs) {
    await feed.addChannel(slug);
    await feed.worker.temporal.ensureRunning(slug, DAY_MS);
  }
  await eventually(async () => expect(await running()).toHaveLength(RUNNING));
});
afterAll(() => feed.stop());

const running = async () => (await feed.worker.temporal.runningChannels()).sort();

/** The reconciler's activity, with its lines of the log. */
async function reconcileFrom(store: Store) {
  const lines: { msg: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  const result = await createReconcile({ store, temporal: feed.worker.temporal, log })();
  return { result, lines };
}

test('a worker on an empty database stops nobody, and says why', async () => {
  const empty = await openStore();
  const { result, lines } = await reconcileFrom(empty);
  expect(result).toMatchObject({ channels: 0, stopped: 0, left: RUNNING });
  expect(result.why_left).toMatch(/MongoDB holds no channel at all/);
  expect(lines).toMatchObject([{ left: RUNNING, why_left: result.why_left }]);
  expect(await running()).toEqual(slugs);
  await closeStore(empty);
});

test('never more than a tenth of what runs is stopped in one go', async () => {
  const gone = slugs.slice(5);
  await feed.store.db.collection<{ _id: string }>('channels').deleteMany({ _id: { $in: gone } });
  const { result, lines } = await reconcileFrom(feed.store);
  expect(result).toMatchObject({ channels: 5, stopped: 2, left: 18 });
  expect(result.why_left).toMatch(/a tenth/);
  expect(lines).toMatchObject([{ left: 18 }]);
  await eventually(async () => expect(await running()).toHaveLength(RUNNING - 2));
  expect(await running()).toEqual(expect.arrayContaining(slugs.slice(0, 5)));
});

test('the workflow tells an operator what is left, and why', async () => {
  const handle = await feed.client.workflow.start('reconcileChannels', {
    workflowId: 'reconcile-told',
    taskQueue: feed.worker.taskQueue,
  });
  expect(await handle.result()).toMatchObject({ stopped: 2, left: 16 });
  expect(await currentDetails(feed.client, 'reconcile-told')).toMatch(
    /^5 channels, 0 started, 2 stopped; 16 left that have no channel: at most a tenth/,
  );
});
