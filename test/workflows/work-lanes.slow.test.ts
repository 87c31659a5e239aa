import { eventually } from '../setup/eventually';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

test('when a Retry-After ends, its type goes on at once, not with the next run', async () => {
  const slug = 'held-back';
  const answers = [{ status: 429, headers: { 'retry-after': '31' } }];
  // the delivery's own retry budget is 30 s: the time asked for ends after it has closed
  const customer = await feed.addChannel(slug, { cadence_ms: 90_000 }, () => answers.shift() ?? 200);
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'accounts', 1);
  const [first] = customer.pages;
  await eventually(() => expect(customer.pages).toHaveLength(2));
  const waited = customer.pages[1]!.at - first!.at;
  expect(waited).toBeGreaterThanOrEqual(30_900);
  expect(waited).toBeLessThan(31_000 + 30_000);
});
