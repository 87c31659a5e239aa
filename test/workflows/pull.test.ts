import { setTimeout } from 'node:timers/promises';
import { flawOfPage } from '../../domain/deliveries/verify-page';
import { channelKeys, findChannel, openSecrets, pauseChannel } from '../../store/channels/channels';
import { listReleased } from '../../store/deliveries/set-aside';
import { deliveryWorkflowId } from '../../workflows/messages';
import { type Api, hearingSignals, startApi } from '../api/start-api';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type ReceivedPage } from '../setup/fake-customer';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import {
  numbered,
  openSharedFeed,
  PHONE,
  revokeInPage2,
  slowly,
  ticketsIn,
} from '../sharing/open-shared-feed';
import { idOf, openPuller, remoteIds } from './puller';
import { eventsOf, recordedRuns, runsOf } from './read-history';
import { openHolder } from './resender';
import { TestFeed } from './test-feed';
import { slowTest } from '../setup/cases';
import { stand } from '../setup/stand';

let feed: TestFeed;
let api: Api;
beforeAll(async () => {
  ({ feed, api } = await stand({ feed: {}, api: {} }));
});

describe('pull', () => {
  const puller = (slug: string, settings?: Parameters<TestFeed['addChannel']>[1]) =>
    openPuller({ feed, api }, slug, settings);
  const positionOf = async (slug: string) => (await feed.marker(slug, 'tickets')).position;

  test('collects pages in order, signed as they would be posted, and moves the marker by confirming', async () => {
    const customer = await puller('collects', { page_size: 2 });
    await feed.push('collects', ['tickets'], 5);
    const first = await customer.next();
    expect([first.status, first.headers['content-type'], first.json.meta]).toEqual([
      200,
      'application/json',
      { current_page: 1, page_count: 2, page_size: 2, total_count: 5, total_pages: 3 },
    ]);
    expect(first.headers).toMatchObject({ 'x-channel-slug': 'collects', 'x-entity-type': 'tickets' });
    const channel = (await findChannel(feed.store, 'collects'))!;
    const { signingSecrets } = await openSecrets(feed.store, channel, new Date());
    const given = {
      id: idOf(first),
      timestamp: String(first.headers['webhook-timestamp']),
      signatures: String(first.headers['webhook-signature']),
    };
    const flaw = flawOfPage(given, Buffer.from(first.text), { secret: signingSecrets[0]!, now: new Date() });
    expect(flaw).toBeUndefined();

    await setTimeout(1_500); // whoever takes seconds over a page has not let it wait
    const again = await customer.next();
    expect([idOf(again), again.text]).toEqual([idOf(first), first.text]);
    expect(await positionOf('collects')).toBe(0);
    const seen = [];
    for (let page = again; page.status === 200; page = await customer.next()) {
      seen.push(...remoteIds(page));
      expect((await customer.confirm(idOf(page))).status).toBe(204);
      expect(await positionOf('collects')).toBeGreaterThanOrEqual(seen.length);
    }
    expect(seen).toEqual(['1', '2', '3', '4', '5']);
    expect((await customer.next()).status).toBe(204);
    const { json } = await customer.ask('GET', '/deliveries');
    expect(json.data).toMatchObject([{ status: 'delivered', pages: 3, records: 5 }]);
    const [run] = await runsOf(feed.client, 'channel/collects');
    const signals = eventsOf(run!, 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED').map(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName,
    );
    expect(signals).not.toContain('deliveryStalled');
  });

  slowTest(
    'what nobody has asked for is collected without waiting for customers who do not confirm',
    async () => {
      const slug = 'not-asked';
      const customer = await puller(slug, { entity_types: ['tickets'], page_size: 1 });
      await feed.push(slug, ['tickets'], 2);
      await feed.deliverNow(slug);
      const stalled = { state: 'waiting', why: 'Acme Crop Insurance has not confirmed its page' };
      await eventually(async () => expect(await feed.laneOf(slug, 'tickets')).toMatchObject(stalled));
      expect(await feed.healthOf(slug)).not.toBe('failing');
      const page = await customer.next();
      expect(remoteIds(page)).toEqual(['1']);
      await customer.confirm(idOf(page));
      const [run] = await runsOf(feed.client, `delivery/${slug}/tickets/1`);
      const queues = eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').map(
        (event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name,
      );
      const { taskQueue } = feed.worker;
      expect(queues).toEqual(queues.map(() => taskQueue));
    },
  );

  slowTest('confirming twice, late, out of order or another’s page moves nothing else', async () => {
    const customer = await puller('confirms', { page_size: 1 });
    const stranger = await puller('stranger', { page_size: 1 });
    for (const slug of ['confirms', 'stranger']) await feed.push(slug, ['tickets'], 2);
    const first = await customer.next();
    const theirs = await stranger.next();
    expect((await customer.confirm(idOf(theirs))).json.code).toBe('PAGE_NOT_WAITING');
    expect((await customer.confirm('msg_never')).json.code).toBe('PAGE_NOT_WAITING');
    expect((await stranger.confirm(idOf(first))).json.code).toBe('PAGE_NOT_WAITING');
    const both = await Promise.all([customer.confirm(idOf(first)), customer.confirm(idOf(first))]);
    expect(both.map(({ status }) => status)).toEqual([204, 204]);
    expect((await customer.confirm(idOf(first))).status).toBe(204);
    const second = await customer.next();
    expect(remoteIds(second)).toEqual(['2']);
    expect(remoteIds(await stranger.next())).toEqual(['1']); // its own marker has not moved
    expect((await customer.confirm(idOf(second))).status).toBe(204);
    expect((await customer.next()).status).toBe(204); // the marker has passed what is the stranger's, too
    const position = await positionOf('confirms');
    expect((await customer.confirm(idOf(first))).status).toBe(204);
    expect(await positionOf('confirms')).toBe(position);
  });

  slowTest('a revoke counts for a page that waits already', async () => {
    const customer = await puller('revoked', { scope: 'subscribed' });
    await feed.pushThese('revoked', {
      accounts: [1, 2].map((id) => ({ id: String(id), name: `Farm ${id}` })),
      tickets: [1, 2].map((id) => ({ id: String(id), account_id: String(id) })),
    });
    const [{ companies }] = [(await findChannel(feed.store, 'revoked'))!];
    const keyOf = (id: number) => ({
      farmer: 'f1',
      channel: 'revoked',
      partner_id: 'P',
      account: `${companies[0]}-${id}`,
    });
    await grantAccounts(feed.store, (await findChannel(feed.store, 'revoked'))!, [keyOf(1), keyOf(2)]);
    const before = await customer.next();
    expect(remoteIds(before)).toEqual(['1', '2']);
    await revokeAccounts(feed.store, [keyOf(1)]);
    expect(remoteIds(await customer.next())).toEqual(['2']);
    expect((await customer.confirm(idOf(before))).json.code).toBe('PAGE_NOT_WAITING');
  });

  test('says what is wrong', async () => {
    const customer = await puller('wrong', { entity_types: ['tickets'] });
    expect((await customer.next('cattle')).json.validation_messages.entity_type).toBeDefined();
    expect((await customer.next('accounts')).json.validation_messages.entity_type).toEqual([
      'this channel carries only tickets',
    ]);
    expect((await customer.confirm(undefined)).json.validation_messages.page).toEqual(['is required']);
    expect((await customer.confirm({ $gt: '' })).json.validation_messages.page).toBeDefined();
    await pauseChannel(feed.store, 'wrong', 'asked');
    expect((await customer.next('tickets')).json.code).toBe('CHANNEL_PAUSED');
    expect((await customer.confirm('msg_1')).json.code).toBe('CHANNEL_PAUSED');
    await feed.changeChannel('wrong', { delivery: 'push' });
    expect((await customer.next('tickets')).json.code).toBe('CHANNEL_PUSHED');
    expect((await customer.confirm('msg_1')).json.code).toBe('CHANNEL_PUSHED');
  });

  test('waits for no Retry-After of when its pages were posted', async () => {
    const slug = 'throttled-before';
    const throttle = { status: 429, headers: { 'retry-after': '3600' } };
    await feed.addChannel(slug, { cadence_ms: 60_000 }, () => throttle);
    await feed.push(slug, ['tickets'], 1);
    await feed.deliverNow(slug);
    await eventually(async () => expect((await feed.laneOf(slug, 'tickets'))?.state).toBe('held'));
    const token = (await channelKeys.rotate(feed.store, slug, 0))!.token;
    await feed.changeChannel(slug, { delivery: 'pull' });
    const ask = (method: string, path: string, body?: unknown) =>
      api.ask(method, `/api/v1/channels/${slug}${path}`, { token, body });
    const page = await ask('GET', '/feed?entity_type=tickets');
    expect([page.status, page.status === 200 && remoteIds(page)]).toEqual([200, ['1']]);
    const { json } = await ask('POST', '/markers/tickets/reset', { timestamp: '2026-01-01T00:00:00Z' });
    expect(json.starts).toBe('now');
  });

  test('with Temporal away a question gets 503 and Retry-After', async () => {
    const apart = await startApi({ store: feed.store, temporal: hearingSignals(false).temporal });
    const customer = await openPuller({ feed, api: apart }, 'cut-off', { page_size: 2 });
    await feed.push('cut-off', ['tickets'], 1);
    const away = await customer.ask('GET', '/feed?entity_type=tickets');
    expect([away.status, away.json.code, away.headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '5']);
  });

  slowTest('a page of which a farmer shares nothing any more waits no longer', async () => {
    const customer = await puller('emptied', { scope: 'subscribed' });
    await feed.pushThese('emptied', {
      accounts: [{ id: '1', name: 'Farm 1' }],
      tickets: [{ id: '1', account_id: '1' }],
    });
    const channel = await feed.channel('emptied');
    const account = `${channel.companies[0]}-1`;
    const key = { farmer: 'f1', channel: 'emptied', partner_id: 'P', account };
    await grantAccounts(feed.store, channel, [key]);
    const page = await customer.next();
    expect(remoteIds(page)).toEqual(['1']);
    await revokeAccounts(feed.store, [key]);
    expect((await customer.next()).status).toBe(204);
    expect((await customer.confirm(idOf(page))).json.code).toBe('PAGE_NOT_WAITING');
  });
});

describe('resend', () => {
  test('of what no page has confirmed yet changes the webhook-id of its page: its customer may have lost what it had applied', async () => {
    const slug = 'applied-and-lost';
    const { customer, resend } = await openHolder({ feed, api }, slug, 1);
    customer.script = () => 503;
    await feed.pushThese(slug, {
      tickets: [{ id: '1', account_id: '1', note: 'applied, and not confirmed' }],
    });
    await feed.deliverNow(slug);
    await eventually(() => expect(customer.pages.at(-1)!.status).toBe(503));
    const applied = customer.pages.at(-1)!;
    expect((await resend([1])).status).toBe(200);
    customer.script = () => 200;
    await feed.deliverNow(slug);
    await eventually(() => expect(customer.pages.at(-1)!.status).toBe(200));
    const again = customer.pages.at(-1)!;
    expect(again.records).toEqual(applied.records);
    expect(again.headers['webhook-id']).not.toBe(applied.headers['webhook-id']);
  });

  const remoteIds = ({ records }: ReceivedPage) => records.map(({ remote_id }) => Number(remote_id));

  const nothingReleased = (slug: string) =>
    eventually(async () => expect(await listReleased(feed.store, slug)).toEqual([]));
  const since = (customer: FakeCustomer, before: number) => customer.pages.slice(before);
  const range = (amount: number) => Array.from({ length: amount }, (_, index) => index + 1);

  slowTest(
    'just these are sent again, on few pages and under new ids, and the marker does not move',
    async () => {
      const slug = 'just-these';
      const { customer, resend } = await openHolder({ feed, api }, slug, 500, { page_size: 1_000 });
      const [marker, before] = [await feed.marker(slug, 'tickets'), customer.pages.length];
      const answer = await resend(range(250));
      expect(answer.json).toEqual({ records: 250, unknown: [], starts: 'now' });
      await nothingReleased(slug);
      const pages = since(customer, before);
      expect(pages.map(({ records }) => records.length)).toEqual([200, 50]);
      // Each by itself: there is no order among them.
      expect(pages.map(({ meta }) => meta)).toEqual(
        [200, 50].map((page_count) => ({
          current_page: 1,
          page_count,
          page_size: 1_000,
          total_count: page_count,
          total_pages: 1,
        })),
      );
      expect(pages.flatMap(remoteIds).sort((a, b) => a - b)).toEqual(range(250));
      expect(new Set(customer.pages.map(({ headers }) => headers['webhook-id'])).size).toBe(
        customer.pages.length,
      );
      const after = await feed.marker(slug, 'tickets');
      expect([after.position, after.generation]).toEqual([marker.position, marker.generation]);
      expect(after.delivered_at!.getTime()).toBeGreaterThan(marker.delivered_at!.getTime());
    },
  );

  slowTest('the page carries the request’s id', async () => {
    const slug = 'same-id';
    const { customer, idOf, token } = await openHolder({ feed, api }, slug, 2);
    const body = { entity_type: 'tickets', ids: [idOf(1)] };
    const headers = { 'x-request-id': 'fix-7' };
    await api.ask('POST', `/api/v1/channels/${slug}/resend`, { token, body, headers });
    await nothingReleased(slug);
    expect(customer.pages.at(-1)!.headers).toMatchObject({ 'x-request-id': 'fix-7' });
  });
});

describe('sharing feed', () => {
  const LARGEST_PAYLOAD = 2_048;

  test('a grant brings what was before in catch-ups, then what comes; of the chosen account', async () => {
    const { customer, pushTickets, runToTheEnd, grant } = await openSharedFeed(feed, 'granted', 12);
    await grant('1001');
    await eventually(() => expect(ticketsIn(customer.pages)).toEqual(numbered(1, 12)));
    await eventually(() => expect(customer.holds('accounts').size).toBe(1));

    const { run } = (await findChannel(feed.store, 'granted'))!;
    const ids = new Set(customer.pages.map(({ headers }) => headers['x-delivery-id']));
    expect([...ids].sort()).toEqual(
      ['accounts', 'tickets'].map((type) => `delivery/granted/${type}/${run}/catch-up`),
    );
    const catchUp = feed.client.workflow.getHandle(deliveryWorkflowId('granted', 'tickets', run, true));
    expect(await catchUp.result()).toMatchObject({ end: 'delivered', records: 12 });
    // The catch-up's own marker is gone by now: what it delivered is told with that of the entity type.
    expect((await feed.marker('granted', 'tickets')).delivered_at).toBeInstanceOf(Date);

    await pushTickets('1001', 101, 1);
    await pushTickets('1002', 601, 1);
    await runToTheEnd();
    expect(ticketsIn(customer.pages).slice(12)).toEqual(['101']);
    expect(customer.holds('accounts').size).toBe(1);
    for (const { body } of customer.pages) expect(body.toString()).not.toMatch(/"1002"|c-granted-1002/);
  });

  slowTest('a slow catch-up ends with the page that the customer reads when the revoke comes', async () => {
    const shared = await openSharedFeed(feed, 'revoked-in-catch-up', 40, slowly);
    const revoked = revokeInPage2(shared.customer, () => shared.revoke('1001'));
    await shared.grant('1001');
    await revoked;
    await shared.pushTickets('1001', 101, 10);
    await shared.runToTheEnd();
    expect(ticketsIn(shared.customer.pages)).toEqual(numbered(1, 10));
  });

  test('no payload of any history reaches 2 KB, and none of them holds a phone', async () => {
    const runs = await recordedRuns(feed.client, 'WorkflowType != "temporal-sys-scheduler-workflow"');
    expect(runs.filter(({ workflowId }) => workflowId.endsWith('/catch-up')).length).toBeGreaterThan(1);
    const leaves = leavesIn(runs);
    const sizes = leaves.map((leaf) => leaf.length);
    expect(sizes.length).toBeGreaterThan(500);
    expect(Math.max(...sizes)).toBeLessThan(LARGEST_PAYLOAD);
    const encoded = Buffer.from(PHONE).toString('base64').slice(0, 12); // whole groups of three bytes only
    const texts = leaves.map((leaf) => Buffer.from(leaf as string).toString());
    expect(texts.filter((text) => text.includes(PHONE) || text.includes(encoded))).toEqual([]);
  });

  /** Every text and every payload that a history holds. */
  function leavesIn(value: unknown): (string | Uint8Array)[] {
    if (typeof value === 'string' || value instanceof Uint8Array) return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Object.values(value).flatMap(leavesIn);
  }
});
