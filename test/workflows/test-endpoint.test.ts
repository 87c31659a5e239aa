import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { requestTestPage } from '../../control/request-test-page';
import { flawOfPage } from '../../domain/verify-page';
import { listActions } from '../../store/access/operator-actions';
import { findChannel, openSecrets } from '../../store/feed/channels';
import { readMarkers } from '../../store/feed/markers';
import { hearingSignals } from '../api/start-api';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

async function tryIt(slug: string, temporal = feed.worker.temporal): Promise<string> {
  const channel = (await findChannel(feed.store, slug))!;
  const asker = { by: 'Acme', via: '/customer', reason: 'new certificate', request_id: 'r' } as const;
  const tried = await requestTestPage({ store: feed.store, temporal }, channel, {
    ...asker,
    action_id: randomUUID(),
  });
  return tried!.outcome;
}

test('a signed page marked as a test is posted, no marker moves, and the answer is explained', async () => {
  const customer = await feed.addChannel('fine', { authorization: 'key of theirs' });
  expect(await tryIt('fine')).toMatch(
    /^Acme Crop Insurance answered 200 after \d+ ms\. Of a real page: The page is yours/,
  );
  const [{ headers, body, records }] = customer.pages as [(typeof customer.pages)[number]];
  expect([headers['x-gdx-test'], headers.authorization, records]).toEqual(['true', 'key of theirs', []]);
  const { signingSecrets } = await openSecrets(
    feed.store,
    (await findChannel(feed.store, 'fine'))!,
    new Date(),
  );
  const text = (name: string) => String(headers[`webhook-${name}`]);
  const signature = { id: text('id'), timestamp: text('timestamp'), signatures: text('signature') };
  expect(flawOfPage(signature, body, { secret: signingSecrets[0]!, now: new Date() })).toBeUndefined();
  expect((await readMarkers(feed.store, 'fine')).size).toBe(0);
  expect(await listActions(feed.store, 'fine', 1)).toMatchObject([
    { action: 'test', via: '/customer', outcome: expect.stringContaining('answered 200') },
  ]);
});

test('what is wrong is said, with the answer and what to mend', async () => {
  await feed.addChannel('refuses', {}, () => ({ status: 401, body: 'no such key gdx_channel_live_1234567' }));
  const said = await tryIt('refuses');
  expect(said).toMatch(/answered 401 after .* It said: no such key .*To mend: Check the signing secret/);
});

test('two who ask at once share one page', async () => {
  const customer = await feed.addChannel('shares', {}, async () => {
    await setTimeout(500);
    return 204;
  });
  const said = await Promise.all([tryIt('shares'), tryIt('shares')]);
  expect([new Set(said).size, customer.pages.length]).toEqual([1, 1]);
});

test('where pages are collected there is nothing to test', async () => {
  const customer = await feed.addChannel('collects', { delivery: 'pull' }); // its address of before is still known
  await feed.addChannel('collected', { delivery: 'pull', base_url: '' });
  for (const slug of ['collects', 'collected'])
    expect(await tryIt(slug)).toBe('Its pages are collected: there is no endpoint to test.');
  expect(customer.pages).toEqual([]);
});

test('without a worker, or without Temporal, it says so', async () => {
  await feed.addChannel('alone');
  expect(await tryIt('alone', hearingSignals(false).temporal)).toMatch(/^No worker has posted the page/);
});
