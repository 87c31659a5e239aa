import { readCeiling } from '../../store/records/counters';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';

let feed: TestFeed<WorkerProcess>;
beforeAll(async () => {
  feed = await TestFeed.startWith((_, databaseUri) => WorkerProcess.start(databaseUri));
});

/** Delivers four accounts in pages of one; `strike` happens while the customer reads page 2 for the first time. */
async function strikeDuringPage2(slug: string, strike: () => Promise<void>): Promise<FakeCustomer> {
  const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, async () => {
    if (customer.pages.length === 2) await strike();
    return 200;
  });
  await feed.push(slug, ['accounts'], 4);
  await feed.deliverNow(slug);
  return customer;
}

const pagesOf = (customer: FakeCustomer) => customer.pages.map(({ meta }) => meta.current_page);

async function expectAllDelivered(slug: string, customer: FakeCustomer): Promise<void> {
  expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({
    status: 'delivered',
    pages: 4,
    records: 4,
  });
  expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4]);
  const { position } = await feed.marker(slug, 'accounts');
  expect(position).toBe(await readCeiling(feed.store, 'accounts'));
}

test('told to stop in mid page, the worker finishes the page, hands the rest back and exits with 0', async () => {
  const slug = 'told-to-stop';
  let exit: Promise<number | string> | undefined;
  const customer = await strikeDuringPage2(slug, async () => {
    exit = feed.worker.end('SIGTERM');
    await setTimeout(2_000); // time enough to drop the page, were it so inclined
  });
  await eventually(() => expect(exit).toBeDefined());
  expect(await exit).toBe(0);
  expect(pagesOf(customer)).toEqual([1, 2]);
  await feed.worker.launch();
  await expectAllDelivered(slug, customer);
  expect(pagesOf(customer)).toEqual([1, 2, 3, 4]);
});

test('killed in mid page, the worker loses nothing: one page goes out twice, soon', async () => {
  const slug = 'killed';
  let killed = 0;
  const customer = await strikeDuringPage2(slug, async () => {
    expect(await feed.worker.end('SIGKILL')).toBe('SIGKILL');
    killed = Date.now();
    await feed.worker.launch();
  });
  await expectAllDelivered(slug, customer);
  expect(pagesOf(customer)).toEqual([1, 2, 2, 3, 4]);
  expect(customer.pages[2]!.headers['webhook-id']).toBe(customer.pages[1]!.headers['webhook-id']);
  expect(customer.pages[2]!.at - killed).toBeLessThan(45_000);
});

test('a reset that comes while the worker is dead overtakes the delivery: nothing of ours has failed', async () => {
  const slug = 'reset-meanwhile';
  let struck = false;
  const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, async () => {
    if (customer.pages.length !== 2 || struck) return 200;
    struck = true;
    expect(await feed.worker.end('SIGKILL')).toBe('SIGKILL');
    await feed.reset(slug, 'accounts');
    await feed.worker.launch();
    return 200;
  });
  await feed.push(slug, ['accounts'], 4);
  await feed.deliverNow(slug);
  expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({ status: 'superseded' });
  expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ status: 'delivered', records: 4 });
  expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4]);
});
