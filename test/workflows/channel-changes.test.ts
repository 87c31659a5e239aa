import { nextDue } from '../../domain/cadence';
import { pauseChannel, resumeChannel } from '../../store/feed/channels';
import { type ChannelStatus, settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

/** Delivers five accounts in pages of one; `change` happens while the customer reads page 2. */
async function changeDuringPage2(slug: string, change: () => Promise<unknown>): Promise<FakeCustomer> {
  const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, async () => {
    if (customer.pages.length === 2) await change();
    return 200;
  });
  await feed.push(slug, ['accounts'], 5);
  await feed.deliverNow(slug);
  return customer;
}

const pagesOf = (customer: FakeCustomer) =>
  customer.pages.map(({ meta }) => `${meta.current_page} of ${meta.total_pages}`);

test('a pause stops a delivery before its next page, and a resume goes on at once', async () => {
  const slug = 'paused';
  const customer = await changeDuringPage2(slug, async () => {
    await pauseChannel(feed.store, slug, 'their new system');
    await feed.signal(slug, settingsChangedSignal, { reason: 'paused' });
  });
  expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({ status: 'superseded', pages: 2 });
  await eventually(async () =>
    expect(await feed.handle(slug).query('status')).toMatchObject({ state: 'paused' }),
  );
  await feed.deliverNow(slug);
  await eventually(async () =>
    expect(await feed.handle(slug).query('status')).toMatchObject({ state: 'paused' }),
  );
  expect(pagesOf(customer)).toEqual(['1 of 5', '2 of 5']);

  await resumeChannel(feed.store, slug);
  await feed.signal(slug, settingsChangedSignal, { reason: 'resumed' });
  expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ status: 'delivered', pages: 3 });
  expect(pagesOf(customer).slice(2)).toEqual(['1 of 3', '2 of 3', '3 of 3']);
  expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4, 5]);
});

test('another page size closes the delivery as resized, and the rest is planned anew from page 1', async () => {
  const slug = 'resized';
  const customer = await changeDuringPage2(slug, async () => {
    await feed.changeChannel(slug, { page_size: 2 });
    await feed.signal(slug, settingsChangedSignal, { reason: 'page size' });
  });
  expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ status: 'delivered', pages: 2, records: 3 });
  expect((await feed.report(slug, 'accounts', 1)).status).toBe('resized');
  expect(pagesOf(customer)).toEqual(['1 of 5', '2 of 5', '1 of 2', '2 of 2']);
  expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4, 5]);
});

test('a reset during a delivery supersedes it, and everything goes out again', async () => {
  const slug = 'reset';
  const customer = await changeDuringPage2(slug, () => feed.reset(slug, 'accounts'));
  const { status, to, records } = await feed.closed(slug, 'accounts', 2);
  expect([status, records]).toEqual(['delivered', 5]);
  expect((await feed.report(slug, 'accounts', 1)).status).toBe('superseded');
  expect(pagesOf(customer)).toEqual(['1 of 5', '2 of 5', '1 of 5', '2 of 5', '3 of 5', '4 of 5', '5 of 5']);
  expect(await feed.marker(slug, 'accounts')).toMatchObject({ position: to, generation: 1 });
  expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4, 5]);
});

test('another cadence counts at once, not after the next run of the old one', async () => {
  const slug = 'cadence';
  await feed.addChannel(slug, { cadence_ms: 24 * 3_600_000 });
  await feed.deliverNow(slug);
  const due = async () => Date.parse((await feed.handle(slug).query<ChannelStatus>('status')).next_due!);
  await eventually(async () => expect(await due()).toBe(nextDue(slug, 24 * 3_600_000, Date.now())));
  await feed.changeChannel(slug, { cadence_ms: 600_000 });
  await feed.signal(slug, settingsChangedSignal, { reason: 'cadence' });
  await eventually(async () => expect(await due()).toBe(nextDue(slug, 600_000, Date.now())), 20_000);
});
