import { describeLane } from '../../domain/deliveries/lane';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { tryEndpoint } from '../../control/request-test-page';
import type { EntityType } from '../../domain/records/entity-types';
import { flawOfPage } from '../../domain/deliveries/verify-page';
import { listActions } from '../../store/callers/operator-actions';
import { findChannel, openSecrets } from '../../store/channels/channels';
import { readMarkers } from '../../store/markers/markers';
import { listSetAside, releaseSetAside } from '../../store/deliveries/set-aside';
import { setChannel } from '../../store/channels/set-channel';
import { handBackSignal, settingsChangedSignal } from '../../workflows/messages';
import { hearingSignals } from '../api/start-api';
import { eventually } from '../setup/eventually';
import { eventsOf, runsOf, summaryOf } from './read-history';
import { refusing, upTo } from './refusing';
import { startFailing } from './start-failing';
import { ALL, TestFeed } from './test-feed';
import { slowTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

describe('feed-delivery', () => {
  test('one entity type that fails does not hold up the others', async () => {
    const slug = 'tickets-fail';
    const customer = await feed.addChannel(slug, {}, ({ entityType }) =>
      entityType === 'tickets' ? 503 : 200,
    );
    await feed.push(slug, ALL, 2);
    await feed.deliverNow(slug);
    for (const type of ALL.filter((name) => name !== 'tickets')) {
      expect(await feed.closed(slug, type, 1)).toMatchObject({ status: 'delivered', records: 2 });
    }
    expect((await feed.report(slug, 'tickets', 1)).status).toBe('running');
    customer.script = () => 200;
    await feed.deliverNow(slug);
    expect(await feed.closed(slug, 'tickets', 1)).toMatchObject({ status: 'delivered', records: 2 });
  });

  slowTest(
    'a customer that is down is waited for, in a timer that says so; deliver now cuts the wait short',
    async () => {
      const slug = 'busy';
      const customer = await feed.addChannel(slug, { page_size: 1 }, ({ meta }) =>
        meta.current_page === 2 ? { status: 503, headers: { 'retry-after': '900' } } : 200,
      );
      await feed.push(slug, ['accounts'], 3);
      await feed.deliverNow(slug);
      const id = `delivery/${slug}/accounts/1`;
      const waiting = await eventually(async () => {
        const [run] = await runsOf(feed.client, id);
        const [timer] = eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED');
        expect(timer).toBeDefined();
        return timer!;
      });
      expect(summaryOf(waiting)).toMatch(/^Acme Crop Insurance answered 503, next try \d\d:\d\d:\d\d UTC$/);
      const { seconds } = waiting.timerStartedEventAttributes!.startToFireTimeout!;
      expect(Math.abs(Number(seconds) - 900)).toBeLessThan(60);
      const lane = await feed.laneOf(slug, 'accounts'); // the same is shown at the channel
      expect(describeLane(lane!)).toBe(`waiting: ${summaryOf(waiting)?.replace(' UTC', '')}`);
      customer.script = () => 200;
      await feed.deliverNow(slug);
      const done = { status: 'delivered', pages: 3, attempts: 4 }; // the one that was not confirmed, too
      expect(await feed.closed(slug, 'accounts', 1)).toMatchObject(done);
      expect(customer.pages[0]!.headers['x-request-id']).toBe('test'); // of the deliver now that began it
      const [run] = await runsOf(feed.client, id);
      const keys = eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').map(
        (event) => event.activityTaskScheduledEventAttributes?.priority?.fairnessKey ?? '',
      );
      expect(keys.slice(0, 2)).toEqual(['', slug]); // in the queue of backlogs every channel has its turn
      // the page that was not confirmed, and no other, went out twice
      expect(customer.pages.map(({ meta }) => meta.current_page)).toEqual([1, 2, 2, 3]);
    },
  );

  slowTest('the retry budget is counted from the first failure in a row', async () => {
    const slug = 'down-for-a-minute';
    const customer = await startFailing(feed, slug, { times: 5, since: Date.now() - 60_000 });
    const ended = await feed.closed(slug, 'accounts', 1, 20_000); // before another retry budget is spent
    expect(ended).toMatchObject({ status: 'failed', attempts: 6 });
    expect(customer.pages).toHaveLength(1);
  });

  slowTest('deliver now that comes during an attempt counts once that has failed', async () => {
    const slug = 'asked-meanwhile';
    const later = { status: 503, headers: { 'retry-after': '900' } };
    const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, async () => {
      if (customer.pages.length > 1) return 200;
      await feed.deliverNow(slug);
      await eventually(async () => {
        const [run] = await runsOf(feed.client, `delivery/${slug}/accounts/1`);
        expect(eventsOf(run!, 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED')).toHaveLength(1);
      });
      return later;
    });
    await feed.push(slug, ['accounts'], 1);
    await feed.deliverNow(slug);
    const done = { status: 'delivered', attempts: 2 };
    expect(await feed.closed(slug, 'accounts', 1)).toMatchObject(done);
  });

  slowTest(
    'a delivery that is handed back is not delivered: its report says that the rest follows',
    async () => {
      const slug = 'handed-back';
      const later = { status: 503, headers: { 'retry-after': '900' } };
      await feed.addChannel(slug, { entity_types: ['accounts'], page_size: 1 }, ({ meta }) =>
        meta.current_page === 1 ? 200 : later,
      );
      await feed.push(slug, ['accounts'], 2);
      await feed.deliverNow(slug);
      await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('waiting'));
      const delivery = feed.delivery(slug, 'accounts', 1);
      await delivery.signal(handBackSignal);
      expect(await delivery.result()).toMatchObject({ end: 'handed_back', records: 1 });
      expect(await feed.report(slug, 'accounts', 1)).toMatchObject({
        status: 'superseded',
        failure: null,
        failure_message: expect.stringContaining('goes on where this one ended'),
        records: 1,
      });
    },
  );
});

describe('refused-records', () => {
  const asideOf = async (slug: string) => (await listSetAside(feed.store, slug)).map(({ record }) => record);

  /** Waits for a channel to have nothing left to do of a type. */
  async function caughtUp(slug: string, type: EntityType): Promise<void> {
    await eventually(async () => {
      const ceiling = await feed.store.db
        .collection<{ _id: string; position: number }>('counters')
        .findOne({ _id: type });
      expect((await feed.marker(slug, type)).position).toBe(ceiling!.position);
    });
  }

  test('one refused record of 1,000: that one is set aside, 999 are delivered, in at most 15 requests', async () => {
    const slug = 'one-refused';
    const customer = await feed.addChannel(slug, {}, refusing(617));
    await feed.push(slug, ['tickets'], 1_000);
    await feed.deliverNow(slug);
    const report = await feed.closed(slug, 'tickets', 1);
    expect(report).toMatchObject({ status: 'delivered', records: 999, set_aside: 1, pages: 1 });
    expect(feed.held(customer, 'tickets')).toEqual(upTo(1_000, 617));
    expect(customer.pages.length).toBeLessThanOrEqual(15);
    expect((await feed.marker(slug, 'tickets')).position).toBe(report.to);
    // every probe is a part of page 1, and says how much it carries itself
    expect(new Set(customer.pages.map(({ meta }) => meta.current_page))).toEqual(new Set([1]));
    for (const { meta, records } of customer.pages)
      expect(meta).toMatchObject({ page_count: records.length, total_count: 1_000 });
    const [kept] = await listSetAside(feed.store, slug);
    expect(kept).toMatchObject({
      entity_type: 'tickets',
      status: 422,
      failure: 'refused',
      answer: 'account 1 is not known here',
      delivery: report._id,
    });
    expect(kept!.record).toMatch(/-617$/);
  });

  slowTest(
    'an endpoint that refuses everything: nothing is set aside, the marker stays, the delivery fails',
    async () => {
      const slug = 'all-refused';
      const customer = await feed.addChannel(slug, {}, () => 400);
      await feed.push(slug, ['accounts'], 200);
      await feed.deliverNow(slug);
      const report = await feed.closed(slug, 'accounts', 1);
      expect(report).toMatchObject({
        status: 'failed',
        failure: 'refused',
        failure_message:
          'Acme Crop Insurance answered 400 to every record tried: ask the customer what its endpoint expects; nothing was set aside',
      });
      expect((await feed.marker(slug, 'accounts')).position).toBe(report.from);
      expect(await asideOf(slug)).toEqual([]);
      expect(customer.pages.length).toBeLessThanOrEqual(12);
    },
  );

  slowTest(
    'what is set aside goes again when it changes, when a reset covers it, and when it is released',
    async () => {
      const slug = 'comes-back';
      const customer = await feed.addChannel(slug, {}, refusing(3));
      await feed.push(slug, ['accounts'], 9);
      await feed.deliverNow(slug);
      await feed.closed(slug, 'accounts', 1);
      const [record] = await asideOf(slug);
      expect(record).toMatch(/-3$/);

      // released, and refused again: it stays set aside, and is not tried for ever
      await releaseSetAside(feed.store, slug, { records: [record!] });
      await feed.signal(slug, settingsChangedSignal, { reason: 'released' });
      await eventually(async () =>
        expect((await listSetAside(feed.store, slug, { released: false })).length).toBe(1),
      );
      expect(customer.pages.at(-1)!.records).toHaveLength(1);

      // released, and taken
      customer.script = () => 200;
      await releaseSetAside(feed.store, slug, { records: [record!] });
      await feed.signal(slug, settingsChangedSignal, { reason: 'released' });
      await eventually(async () => expect(await asideOf(slug)).toEqual([]));
      expect(feed.held(customer, 'accounts')).toEqual(upTo(9));

      // covered by a reset, and refused for it
      customer.script = refusing(4);
      await feed.reset(slug, 'accounts');
      await eventually(async () => expect(await asideOf(slug)).toEqual([expect.stringMatching(/-4$/)]));
      await caughtUp(slug, 'accounts');

      // changed, and taken
      customer.script = () => 200;
      await feed.pushThese(slug, { accounts: [{ id: '4', name: 'Farm 4, mended' }] });
      await feed.deliverNow(slug);
      await eventually(async () => expect(await asideOf(slug)).toEqual([]));
      expect(customer.holds('accounts').get(customer.pages.at(-1)!.records[0]!.id)).toMatchObject({
        name: 'Farm 4, mended',
      });
    },
  );

  slowTest(
    '413 halves the pages of a type and the size is remembered; one set by hand forgets it',
    async () => {
      const slug = 'too-large';
      const customer = await feed.addChannel(slug, { page_size: 100 }, ({ entityType, records }) =>
        entityType === 'accounts' && records.length > 30 ? 413 : 200,
      );
      await feed.push(slug, ['accounts'], 100);
      await feed.deliverNow(slug);
      await eventually(() => expect(feed.held(customer, 'accounts')).toEqual(upTo(100)));
      expect((await findChannel(feed.store, slug))!.page_limits).toMatchObject({ accounts: { records: 25 } });
      expect(customer.pages.map(({ records }) => records.length)).toEqual([100, 50, 25, 25, 25, 25]);
      expect(customer.pages.at(-1)!.meta).toMatchObject({ current_page: 4, total_pages: 4, page_size: 25 });
      expect((await feed.report(slug, 'accounts', 1)).status).toBe('resized');

      const before = customer.pages.length;
      await feed.push(slug, ['accounts'], 40, 101);
      await feed.push(slug, ['tickets'], 60);
      await feed.deliverNow(slug);
      await eventually(() => expect(feed.held(customer, 'accounts')).toEqual(upTo(140)));
      await eventually(() => expect(feed.held(customer, 'tickets')).toEqual(upTo(60)));
      const sizes = customer.pages.slice(before).map(({ records }) => records.length);
      expect(sizes.toSorted()).toEqual([15, 25, 60]);

      await setChannel(feed.store, slug, { page_size: 30 });
      expect((await findChannel(feed.store, slug))!.page_limits).toBeUndefined();
    },
  );
});

describe('test-endpoint', () => {
  async function tryIt(slug: string, temporal = feed.worker.temporal): Promise<string> {
    const channel = (await findChannel(feed.store, slug))!;
    const asker = { by: 'Acme', via: '/customer', reason: 'new certificate', request_id: 'r' } as const;
    const tried = await tryEndpoint.run(
      { store: feed.store, temporal },
      channel,
      {},
      {
        ...asker,
        action_id: randomUUID(),
      },
    );
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
    await feed.addChannel('refuses', {}, () => ({
      status: 401,
      body: 'no such key gdx_channel_live_1234567',
    }));
    const said = await tryIt('refuses');
    expect(said).toMatch(/answered 401 after .* It said: no such key .*To mend: Check the signing secret/);
  });

  slowTest('two who ask at once share one page', async () => {
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
});
