import { setTimeout } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { switchVersion } from './switch-version';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';

// GDX_CASES=200 is more than two busy cores with a stand-in in Python can serve.
const BACKLOGS = cases(40, 60);
const PAGES = 6;
const PAGE_MS = 15_000;
const FIRST_PAGE_MS = 10_000;
const PARTITIONS = 4; // of a production server as well, unless its queue is made to have another number

let feed: TestFeed<WorkerProcess>;
beforeAll(async () => {
  feed = await TestFeed.startWith((_, databaseUri) => WorkerProcess.start(databaseUri, '1.0'));
});

/** How long a channel with one record waits for its page. */
async function firstPageMs(slug: string): Promise<number> {
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] });
  await feed.push(slug, ['accounts'], 1);
  const began = Date.now();
  await feed.deliverNow(slug);
  await eventually(() => expect(customer.pages).toHaveLength(1));
  return customer.pages[0]!.at - began;
}

/** docs/decisions/0012 */
test(`a small channel's page comes within seconds beside ${BACKLOGS} backlogs, with one version of the worker and with two`, async () => {
  const customers: FakeCustomer[] = [];
  for (let number = 1; number <= BACKLOGS; number++) {
    const slug = `backlog-${number}`;
    const settings = { page_size: 1, entity_types: ['accounts'] as ['accounts'] };
    const slow = () => setTimeout(PAGE_MS, 200);
    customers.push(await feed.addChannel(slug, settings, slow, `127.0.1.${number}`));
    await feed.push(slug, ['accounts'], PAGES);
  }
  await Promise.all(customers.map((_, index) => feed.deliverNow(`backlog-${index + 1}`)));
  const fewest = () => Math.min(...customers.map(({ pages }) => pages.length));
  await eventually(() => expect(fewest()).toBeGreaterThan(0), 300_000);
  const waitedMs = [await firstPageMs('small')];

  await feed.worker.join('2.0');
  await eventually(() => switchVersion(feed.client, feed.worker.taskQueue, '2.0'));
  waitedMs.push(await firstPageMs('small-with-two')); // while all that waits moves to the new version
  waitedMs.push(await firstPageMs('small-later'));
  console.log(`waited ${waitedMs.join(', ')} ms`);
  expect(Math.max(...waitedMs)).toBeLessThan(FIRST_PAGE_MS);
  expect(fewest()).toBeLessThan(PAGES); // there are still backlogs

  const { workflowTaskQueuePartitions } = await feed.client.workflowService.listTaskQueuePartitions({
    namespace: process.env.TEMPORAL_NAMESPACE!,
    taskQueue: {
      name: feed.worker.taskQueue,
      kind: temporal.api.enums.v1.TaskQueueKind.TASK_QUEUE_KIND_NORMAL,
    },
  });
  expect(workflowTaskQueuePartitions).toHaveLength(PARTITIONS);
}, 900_000);
