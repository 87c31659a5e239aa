import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { createWorkerVersions, type WorkerVersions } from '../../temporal/worker-versions';
import { channelWorkflowId } from '../../workflows/messages';
import { stopHere } from '../commit-order/stop-here';
import { eventually } from '../setup/eventually';
import { eventsOf, recordedRuns } from './read-history';
import { switchVersion } from './switch-version';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';

const SLUG = 'versioned';

let feed: TestFeed<WorkerProcess>;
let versions: WorkerVersions;
// A reconciler ran before the first test, and nobody has made any version current: 1.0 has done so by itself.
beforeAll(async () => {
  feed = await TestFeed.startWith((_, databaseUri) => WorkerProcess.start(databaseUri, '1.0'));
  const [namespace, deploymentName] = [process.env.TEMPORAL_NAMESPACE!, feed.worker.taskQueue];
  versions = createWorkerVersions(feed.client, { namespace, deploymentName });
});

const switchTo = (buildId: string) => switchVersion(feed.client, feed.worker.taskQueue, buildId);

const states = async () =>
  Object.fromEntries((await versions.list()).map(({ build_id, state }) => [build_id, state]));

/** The builds that completed the tasks of the channel, its deliveries and the reconciler, in order, each once in a row. */
async function buildsOf(query: string): Promise<string[]> {
  const tasks = (await recordedRuns(feed.client, query)).flatMap((run) =>
    eventsOf(run, 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED').map((event) => ({
      at: Number(event.eventTime?.seconds) * 1e9 + Number(event.eventTime?.nanos),
      build: event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId ?? 'none',
    })),
  );
  const builds = tasks.sort((one, other) => one.at - other.at).map(({ build }) => build);
  return builds.filter((build, index) => build !== builds[index - 1]);
}

const channel = `WorkflowId = "${channelWorkflowId(SLUG)}"`;
const deliveriesOfRun = (run: number) =>
  ENTITY_TYPES.map((type) => `WorkflowId = "delivery/${SLUG}/${type}/${run}"`).join(' OR ');

async function runDelivered(run: number): Promise<void> {
  for (const type of ENTITY_TYPES) {
    expect(await feed.closed(SLUG, type, run)).toMatchObject({ status: 'delivered' });
  }
}

test('a channel goes from version to version at the operator’s word, in mid delivery too, and nothing is lost', async () => {
  const customer = await feed.addChannel(SLUG, { page_size: 2 });
  expect(await states()).toEqual({ '1.0': 'current' });
  await feed.push(SLUG, ENTITY_TYPES, 3);
  await feed.deliverNow(SLUG);
  await runDelivered(1);
  await eventually(async () => expect(await buildsOf(channel)).toEqual(['1.0']));

  // The next version joins, and a worker without one: they get nothing.
  const [next] = await Promise.all([feed.worker.join('2.0'), feed.worker.join('')]);
  await eventually(async () => expect(await states()).toEqual({ '1.0': 'current', '2.0': 'inactive' }));
  await versions.makeFirst('2.0');
  expect(await states()).toEqual({ '1.0': 'current', '2.0': 'inactive' });
  await feed.push(SLUG, ENTITY_TYPES, 3, 11);
  await feed.deliverNow(SLUG);
  await runDelivered(2);
  expect(await buildsOf(channel)).toEqual(['1.0']);
  await eventually(async () => expect(await buildsOf(deliveriesOfRun(2))).toEqual(['1.0']));

  // The switch, while 1.0 has a page under way; then 1.0 is told to go.
  const halt = stopHere();
  customer.script = () => halt.here().then(() => 200);
  await feed.push(SLUG, ENTITY_TYPES, 3, 21);
  await feed.deliverNow(SLUG);
  await halt.reached;
  await switchTo('2.0');
  const ended = feed.worker.end('SIGTERM');
  halt.goOn();
  expect(await ended).toBe(0);
  await runDelivered(3);
  await eventually(async () => expect(await buildsOf(channel)).toEqual(['1.0', '2.0']));
  expect(await states()).toEqual({ '1.0': expect.stringMatching(/^drain/), '2.0': 'current' });

  // After 1.0, the channel and what is started anew run on 2.0.
  await feed.push(SLUG, ENTITY_TYPES, 3, 31);
  await feed.deliverNow(SLUG);
  await runDelivered(4);
  await eventually(async () => expect(await buildsOf(deliveriesOfRun(4))).toEqual(['2.0']));
  for (const type of ENTITY_TYPES) {
    expect(feed.held(customer, type)).toEqual([1, 2, 3, 11, 12, 13, 21, 22, 23, 31, 32, 33]);
  }

  // Back to workers without a version: no version takes that back by itself.
  await switchTo('');
  await versions.makeFirst('2.0');
  await eventually(async () => expect(Object.values(await states())).not.toContain('current'));
  await next.end('SIGTERM');
  await feed.push(SLUG, ENTITY_TYPES, 1, 41);
  await feed.deliverNow(SLUG);
  await runDelivered(5);
  await eventually(async () => expect(await buildsOf(channel)).toEqual(['1.0', '2.0', 'none']));
});

test('a version that no worker has is not switched to', async () => {
  await expect(switchTo('9.9')).rejects.toThrow(/9\.9/);
});
