import { nextDue } from '../../domain/deliveries/cadence';
import { eventually } from '../setup/eventually';
import { expectResets, TROUBLE } from './lanes-in-trouble';
import { TestFeed } from './test-feed';

const ROUNDS = 5;

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

test('resets of tickets leave, of eight channels at once, while accounts are never answered', async () => {
  const slugs = Array.from({ length: 8 }, (_, index) => `one-of-eight-${index}`);
  await Promise.all(slugs.map((slug) => expectResets(feed, slug, TROUBLE['are never answered'], ROUNDS)));
});

test('when a Retry-After ends, its type goes on at once, not with the next run', async () => {
  const [cadence_ms, asked_ms, apart_ms] = [30_000, 31_000, 20_000];
  const ends = Date.now() + asked_ms;
  const slug = Array.from({ length: 100 }, (_, number) => `held-back-${number}`).find(
    (name) => nextDue(name, cadence_ms, ends) > ends + apart_ms,
  )!;
  // longer than a delivery of this cadence waits for its customer: the type is held
  const answers = [{ status: 429, headers: { 'retry-after': String(asked_ms / 1_000) } }];
  const customer = await feed.addChannel(slug, { cadence_ms }, () => answers.shift() ?? 200);
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('held'));
  const [first] = customer.pages;
  await eventually(() => expect(customer.pages).toHaveLength(2));
  const waited = customer.pages[1]!.at - first!.at;
  expect(waited).toBeGreaterThanOrEqual(asked_ms - 100);
  expect(waited).toBeLessThan(asked_ms + apart_ms / 2);
});

test('deliver now cuts short no Retry-After that its own pages are answered', async () => {
  const slug = 'asked-since';
  const later = { status: 503, headers: { 'retry-after': '600' } };
  const customer = await feed.addChannel(slug, {}, () => later);
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  const state = async () => (await feed.laneOf(slug, 'accounts'))?.state;
  await eventually(async () => expect(await state()).toBe('waiting'));
  await feed.reset(slug, 'accounts');
  await eventually(async () => expect(await state()).toBe('held'));
  expect(customer.pages).toHaveLength(1);
});

test('the pages of a second reset carry its own request id', async () => {
  const slug = 'reset-twice';
  const pages: string[] = [];
  const customer = await feed.addChannel(slug, { page_size: 1 }, async ({ headers }) => {
    pages.push(headers['x-request-id'] as string);
    if (pages.length === 4) await feed.reset(slug, 'accounts', 'second');
    return 200;
  });
  await feed.push(slug, ['accounts'], 3);
  await feed.deliverNow(slug);
  await eventually(() => expect(customer.pages).toHaveLength(3));
  await feed.reset(slug, 'accounts', 'first');
  await eventually(() => expect(pages).toHaveLength(7));
  expect(pages.slice(3)).toEqual(['first', 'second', 'second', 'second']);
});
