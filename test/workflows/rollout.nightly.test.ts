import { setTimeout } from 'node:timers/promises';
import { createWorkerVersions } from '../../temporal/worker-versions';
import { channelWorkflowId } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { eventsOf, recordedRuns } from './read-history';
import { switchVersion } from './switch-version';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';

const DEPLOYMENT = 'gdx/gdx-worker';
const CHANNELS = Array.from({ length: 6 }, (_, index) => `load-${index}`);
const TYPES = ['accounts', 'tickets'] as const;
const LONG_ENOUGH_TO_SWITCH_MS = 2_000; // without a controller a first worker looks twice a second whether it is known

let feed: TestFeed<WorkerProcess>;
beforeAll(async () => {
  process.env.TEMPORAL_DEPLOYMENT_NAME = DEPLOYMENT; // as Temporal's Worker Controller sets it
  feed = await TestFeed.startWith(async (_, databaseUri) => {
    const worker = await WorkerProcess.start(databaseUri, '1.0');
    const versions = versionsOf(worker);
    await eventually(async () => expect(await versions.list()).toHaveLength(1));
    await setTimeout(LONG_ENOUGH_TO_SWITCH_MS);
    expect(await versions.list()).toMatchObject([{ build_id: '1.0', state: 'inactive' }]);
    await makeCurrent(worker, '1.0');
    return worker;
  });
});

const versionsOf = ({ client }: WorkerProcess) =>
  createWorkerVersions(client, { namespace: process.env.TEMPORAL_NAMESPACE!, deploymentName: DEPLOYMENT });

/** What the controller does with a new version, once all its workers are ready. */
const makeCurrent = (worker: WorkerProcess, buildId: string) =>
  eventually(() => switchVersion(worker.client, DEPLOYMENT, buildId));

const sent = (customer: FakeCustomer, type: string) =>
  customer.pages.filter(({ entityType }) => entityType === type).flatMap(({ records }) => records);

test('a new version of the worker takes over under load by itself, and no page is repeated', async () => {
  const customers = await Promise.all(
    CHANNELS.map((slug) =>
      feed.addChannel(slug, { page_size: 4, cadence_ms: 1_000 }, () => setTimeout(20, 200)),
    ),
  );
  let pushed = 0;
  const load = new AbortController();
  const pushing = (async () => {
    while (!load.signal.aborted) {
      for (const slug of CHANNELS) await feed.push(slug, TYPES, 10, pushed + 1);
      pushed += 10;
    }
  })();
  await Promise.all(CHANNELS.map((slug) => feed.deliverNow(slug)));
  const haveMoved = async (pages: number) => {
    const before = customers.map((customer) => customer.pages.length);
    await eventually(async () => {
      for (const [index, customer] of customers.entries())
        expect(customer.pages.length).toBeGreaterThan(before[index]! + pages);
    });
  };
  await haveMoved(5);

  const [first, second] = [await feed.worker.join('2.0'), await feed.worker.join('2.0')];
  await makeCurrent(feed.worker, '2.0');
  await haveMoved(2);
  expect(await feed.worker.end('SIGTERM')).toBe(0);
  await haveMoved(5);
  expect(await first.end('SIGTERM')).toBe(0); // and one of two of the new version goes
  await haveMoved(5);
  load.abort();
  await pushing;

  const all = Array.from({ length: pushed }, (_, index) => String(index + 1));
  for (const customer of customers) {
    for (const type of TYPES) {
      await eventually(
        async () => expect(sent(customer, type).length).toBeGreaterThanOrEqual(pushed),
        180_000,
      );
      expect(sent(customer, type).map(({ remote_id }) => remote_id)).toEqual(all);
    }
  }
  for (const slug of CHANNELS) {
    const runs = await recordedRuns(feed.client, `WorkflowId = "${channelWorkflowId(slug)}"`);
    const builds = runs
      .flatMap((run) => eventsOf(run, 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED'))
      .map((event) => event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId);
    expect(new Set(builds)).toEqual(new Set(['1.0', '2.0']));
  }
  console.log(`${customers.reduce((sum, { pages }) => sum + pages.length, 0)} pages, none repeated`);
  expect(await second.end('SIGTERM')).toBe(0);
});
