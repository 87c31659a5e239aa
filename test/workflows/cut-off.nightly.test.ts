import { findChannel } from '../../store/channels/channels';
import { eventually } from '../setup/eventually';
import type { ReceivedPage, Reply } from '../setup/fake-customer';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test.each<[name: string, reply: Reply]>([
  ['closes the connection', 'hang-up'],
  ['answers 504', 504],
])('a gateway that %s on longer pages gets shorter ones, and every type arrives', async (_name, reply) => {
  const slug = `cut-off-${String(reply)}`;
  const gateway = ({ records }: ReceivedPage): Reply => (records.length > 4 ? reply : 200);
  // the shortest retry budget: 30 s a delivery
  const customer = await feed.addChannel(slug, { cadence_ms: 1_000, page_size: 16 }, gateway);
  await feed.push(slug, ['accounts', 'tickets'], 16);
  await feed.deliverNow(slug);
  for (const type of ['accounts', 'tickets'] as const) {
    expect(await feed.closed(slug, type, 1)).toMatchObject({ status: 'failed', failure: 'unavailable' });
    await eventually(() => expect(feed.held(customer, type)).toEqual(upTo(16)), 240_000);
  }
  expect((await findChannel(feed.store, slug))!.page_limits).toMatchObject({
    tickets: { records: 4, cut_off: true },
  });
});
