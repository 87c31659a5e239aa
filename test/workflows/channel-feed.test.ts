import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, SearchAttributeType } from '@temporalio/common';
import { nextDue } from '../../domain/deliveries/cadence';
import { pauseChannel, resumeChannel } from '../../store/channels/channels';
import { type ChannelStatus, settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { grantAccounts } from '../setup/share-accounts';
import { currentDetails, eventsOf, runsOf, summaryOf } from './read-history';
import { findChannel } from '../../store/channels/channels';
import { ALL, TestFeed } from './test-feed';
import { slowTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

describe('channel-view', () => {
  // What the Temporal UI shows an operator (docs/contract.md O1), read the way the UI reads it.
  beforeAll(async () => {
    // One channel with each thing to see: tickets are refused, settlements wait.
    const customer = await feed.addChannel('acme', { page_size: 2 }, ({ entityType }) => {
      if (entityType === 'tickets') return 401;
      return entityType === 'settlements' ? { status: 503, headers: { 'retry-after': '600' } } : 200;
    });
    await feed.push('acme', ALL, 3);
    await feed.deliverNow('acme');
    await eventually(() => expect(customer.pages).toHaveLength(6));
    await eventually(async () => {
      const { lanes } = await feed.handle('acme').query<ChannelStatus>('status');
      expect(lanes.map(({ state }) => state)).toEqual(['idle', 'idle', 'idle', 'waiting']);
    });
  });

  test('ids and types say what a thing is', async () => {
    await eventually(async () => {
      const seen = new Map<string, string>();
      for await (const { workflowId, type } of feed.client.workflow.list()) {
        // the schedule adds when it ran
        seen.set(workflowId.replace(/^reconcile-.+/, 'reconcile-...'), type);
      }
      expect([...seen.entries()].filter(([id]) => !id.startsWith('temporal-sys')).sort()).toEqual([
        ['channel/acme', 'channelFeed'],
        ['delivery/acme/accounts/1', 'feedDelivery'],
        ['delivery/acme/contracts/1', 'feedDelivery'],
        ['delivery/acme/settlements/1', 'feedDelivery'],
        ['delivery/acme/tickets/1', 'feedDelivery'],
        ['reconcile-...', 'reconcileChannels'],
      ]);
    });
  });

  test('every start has a static summary and details', async () => {
    const channel = await feed.handle('acme').describe();
    expect(await channel.staticSummary()).toBe('feed of channel acme');
    expect(await channel.staticDetails()).toMatch(/^Runs at the channel’s cadence/);
    const delivery = await feed.delivery('acme', 'accounts', 1).describe();
    expect(await delivery.staticSummary()).toBe('accounts to Acme Crop Insurance');
    expect(await delivery.staticDetails()).toBe(
      '3 records in pages of 2, positions 1 to 3. Started by: deliver-now.',
    );
  });

  test('a delivery shows its progress, then its result', async () => {
    expect(await currentDetails(feed.client, 'delivery/acme/accounts/1')).toMatch(
      /^page 2 of 2, 3 of 3 records, last answer 200 in \d+ ms$/,
    );
    expect(await feed.delivery('acme', 'accounts', 1).result()).toEqual({
      ...{ end: 'delivered', entity_type: 'accounts', catch_up: false, from: 0, to: 3, attempts: 2 },
      ...{ pages: 2, records: 3, bytes: expect.any(Number), set_aside: 0, probes: 0 },
      duration_ms: expect.any(Number),
    });
  });

  test('a waiting delivery shows what happened and when it tries next', async () => {
    const says = /^Acme Crop Insurance answered 503, next try \d\d:\d\d:\d\d UTC/;
    await eventually(async () => {
      expect(await currentDetails(feed.client, 'delivery/acme/settlements/1')).toMatch(says);
      const [run] = await runsOf(feed.client, 'delivery/acme/settlements/1');
      expect(summaryOf(eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED')[0])).toMatch(says);
    });
  });

  test('a failed delivery is red, with the failure as its type and a message to act on', async () => {
    const error = await feed
      .delivery('acme', 'tickets', 1)
      .result()
      .catch((failed: WorkflowFailedError) => failed.cause);
    const message = 'Acme Crop Insurance answered 401: check the channel’s authorization';
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({ type: 'unauthorized', message });
    expect((await feed.delivery('acme', 'tickets', 1).describe()).status.name).toBe('FAILED');
    expect(await currentDetails(feed.client, 'delivery/acme/tickets/1')).toBe(message);
  });

  test('activities say what they do', async () => {
    const [channel] = await runsOf(feed.client, 'channel/acme');
    const [delivery] = await runsOf(feed.client, 'delivery/acme/accounts/1');
    const summaries = [channel!, delivery!].map((run) =>
      eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').map((event) => [
        event.activityTaskScheduledEventAttributes?.activityType?.name,
        summaryOf(event),
      ]),
    );
    expect(summaries).toEqual([
      [['planRun', 'plan accounts, contracts, tickets, settlements (deliver-now)']],
      [
        ['deliverPages', 'accounts, pages 1 to 2'],
        ['recordOutcome', undefined],
      ],
    ]);
  });

  test('search attributes find channels and deliveries', async () => {
    const found = async (query: string) => {
      const ids: string[] = [];
      for await (const { workflowId } of feed.client.workflow.list({ query })) ids.push(workflowId);
      return ids.sort();
    };
    await eventually(async () => {
      expect(await found('GdxChannel = "acme" AND WorkflowType = "channelFeed"')).toEqual(['channel/acme']);
      expect(await found('GdxEntityType = "tickets" AND GdxTrigger = "deliver-now"')).toEqual([
        'delivery/acme/tickets/1',
      ]);
      expect(await found('GdxOutcome = "unauthorized"')).toEqual(['delivery/acme/tickets/1']);
      expect(await found('GdxOutcome = "delivered" AND GdxRecords = 3')).toEqual([
        'delivery/acme/accounts/1',
        'delivery/acme/contracts/1',
      ]);
      expect(await found('GdxOutcome = "failing"')).toEqual(['channel/acme']);
    });
    const { typedSearchAttributes } = await feed.delivery('acme', 'accounts', 1).describe();
    expect(typedSearchAttributes.get({ name: 'GdxRecords', type: SearchAttributeType.INT })).toBe(3);
  });

  slowTest('the channel shows its table, while it delivers and while it waits', async () => {
    const running = await currentDetails(feed.client, 'channel/acme');
    expect(running).toMatch(
      /^Feed of channel acme to \*\*Acme Crop Insurance\*\*: delivering settlements; next run at /,
    );
    expect(running).toContain(
      '| entity type | now | confirmed up to | last confirmed page | last delivery |',
    );
    expect(running).toMatch(
      /\| tickets \| idle until \d\d:\d\d:\d\d \| nothing yet \| never \| failed, see below \|/,
    );
    expect(running).toMatch(/^- \*\*tickets failed:\*\* .*answered 401: check .*\(\d\d:\d\d:\d\d\)$/m);
    expect(running).toMatch(/\| accounts \| .* \| 3 records by \d\d:\d\d:\d\d \|/);
    expect(running).toMatch(
      /\| settlements \| waiting: Acme Crop Insurance answered 503, next try \d\d:\d\d:\d\d \|/,
    );
    expect(await feed.handle('acme').query('status')).toMatchObject({
      state: 'running',
      lanes: [
        { entity_type: 'accounts', state: 'idle', until: expect.any(String), why: null },
        { entity_type: 'contracts', state: 'idle' },
        { entity_type: 'tickets', state: 'idle' },
        { entity_type: 'settlements', state: 'waiting', why: 'Acme Crop Insurance answered 503' },
      ],
      open_deliveries: ['delivery/acme/settlements/1'],
    });

    await feed.addChannel('calm');
    await feed.deliverNow('calm');
    await eventually(async () => {
      const [run] = await runsOf(feed.client, 'channel/calm');
      expect(summaryOf(eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED')[0])).toMatch(
        /^next run \d\d:\d\d:\d\d UTC$/,
      );
    });
    expect(await currentDetails(feed.client, 'channel/calm')).toMatch(
      /: next run at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\. All times are UTC\.\n/,
    );
    expect(await feed.handle('calm').query('status')).toMatchObject({
      state: 'waiting',
      open_deliveries: [],
    });

    await pauseChannel(feed.store, 'calm', 'their new system');
    await feed.signal('calm', settingsChangedSignal, { reason: 'paused' });
    await eventually(async () =>
      expect(await currentDetails(feed.client, 'channel/calm')).toContain('paused (their new system)'),
    );
  });

  slowTest('a channel whose newly shared accounts are refused is failing', async () => {
    await feed.addChannel('catching-up', { scope: 'subscribed', entity_types: ['accounts'] }, () => 401);
    await feed.push('catching-up', ['accounts'], 1);
    const channel = await feed.channel('catching-up');
    const account = `${channel.companies[0]}-1`;
    const key = { channel: channel._id, partner_id: 'policy', farmer: 'f', account };
    await feed.deliverNow('catching-up'); // passes over what is not shared yet
    await eventually(async () =>
      expect((await feed.marker('catching-up', 'accounts')).position).toBeGreaterThan(0),
    );
    await grantAccounts(feed.store, channel, [key]);
    await feed.deliverNow('catching-up');
    await eventually(async () => {
      const [report] = await feed.store.db.collection('deliveries').find({ channel: channel._id }).toArray();
      expect(report).toMatchObject({ catch_up: true, status: 'failed' });
      expect((await feed.laneOf('catching-up', 'accounts'))?.state).toBe('idle');
    });
    expect(await feed.healthOf('catching-up')).toBe('failing');
  });

  test('signals and queries carry descriptions', async () => {
    const { definition } = await feed.handle('acme').query<{
      definition: { signalDefinitions: { name: string; description?: string }[] };
    }>('__temporal_workflow_metadata');
    const described = definition.signalDefinitions.filter(({ description }) => description);
    expect(described.map(({ name }) => name).sort()).toEqual([
      'deliverNow',
      'deliveryStalled',
      'markerReset',
      'pageAskedFor',
      'settingsChanged',
      'subscriptionsChanged',
    ]);
  });

  test('the namespace keeps histories for 90 days', async () => {
    const namespace = feed.client.options.namespace;
    const { config } = await feed.client.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 86_400);
  });
});

describe('channel-feed', () => {
  test('one run delivers every type, its pages in order', async () => {
    const customer = await feed.addChannel('in-order', { page_size: 2 });
    await feed.push('in-order', [...ALL].reverse(), 3);
    await feed.deliverNow('in-order');
    await feed.closed('in-order', 'settlements', 1);
    for (const type of ALL) {
      await feed.closed('in-order', type, 1);
      expect(customer.confirmed(type).map(({ meta }) => meta.current_page)).toEqual([1, 2]);
    }
  });

  slowTest('a channel that is no more ends its workflow', async () => {
    await feed.addChannel('gone');
    await feed.deliverNow('gone');
    await eventually(() => expect(feed.marker('gone', 'accounts')).resolves.toBeDefined());
    await feed.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: 'gone' });
    await feed.deliverNow('gone');
    await feed.handle('gone').result();
    expect((await feed.handle('gone').describe()).status.name).toBe('COMPLETED');
  });

  slowTest('a delivery that an operator terminates is one that failed: its channel goes on', async () => {
    const slug = 'terminated-delivery';
    const customer = await feed.addWaitingChannel(slug);
    await feed.delivery(slug, 'accounts', 1).terminate();
    await eventually(async () => {
      const { state, last_deliveries } = await feed.handle(slug).query<ChannelStatus>('status');
      expect([state, last_deliveries]).toEqual(['waiting', { accounts: 'ended without an outcome' }]);
    });
    customer.script = () => 200;
    await feed.deliverNow(slug);
    expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ status: 'delivered', records: 1 });
  });

  slowTest('a channel that an operator terminates takes its deliveries along', async () => {
    await feed.addWaitingChannel('terminated-channel');
    await feed.handle('terminated-channel').terminate();
    const closed = await feed.closed('terminated-channel', 'accounts', 1);
    expect(closed).toMatchObject({ status: 'superseded' });
  });
});

describe('channel-changes', () => {
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

  slowTest('a pause stops a delivery before its next page, and a resume goes on at once', async () => {
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
      expect(await feed.handle(slug).query('status')).toMatchObject({
        state: 'paused',
        lanes: [{ entity_type: 'accounts', state: 'paused', until: null }],
      }),
    );
    expect(pagesOf(customer)).toEqual(['1 of 5', '2 of 5']);

    await resumeChannel(feed.store, slug);
    await feed.signal(slug, settingsChangedSignal, { reason: 'resumed' });
    expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ status: 'delivered', pages: 3 });
    expect(pagesOf(customer).slice(2)).toEqual(['1 of 3', '2 of 3', '3 of 3']);
    expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4, 5]);
  });

  slowTest(
    'another page size closes the delivery as resized, and the rest is planned anew from page 1',
    async () => {
      const slug = 'resized';
      const customer = await changeDuringPage2(slug, async () => {
        await feed.changeChannel(slug, { page_size: 2 });
        await feed.signal(slug, settingsChangedSignal, { reason: 'page size' });
      });
      expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({
        status: 'delivered',
        pages: 2,
        records: 3,
      });
      expect((await feed.report(slug, 'accounts', 1)).status).toBe('resized');
      expect(pagesOf(customer)).toEqual(['1 of 5', '2 of 5', '1 of 2', '2 of 2']);
      expect(feed.held(customer, 'accounts')).toEqual([1, 2, 3, 4, 5]);
    },
  );

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

  slowTest('another cadence counts at once, not after the next run of the old one', async () => {
    const slug = 'cadence';
    await feed.addChannel(slug, { cadence_ms: 24 * 3_600_000 });
    await feed.deliverNow(slug);
    const due = async () => Date.parse((await feed.handle(slug).query<ChannelStatus>('status')).next_due!);
    await eventually(async () => expect(await due()).toBe(nextDue(slug, 24 * 3_600_000, Date.now())));
    await feed.changeChannel(slug, { cadence_ms: 600_000 });
    await feed.signal(slug, settingsChangedSignal, { reason: 'cadence' });
    await eventually(async () => expect(await due()).toBe(nextDue(slug, 600_000, Date.now())), 20_000);
  });
});

test('the end of a delivery, and an empty run, tell how far companies are complete', async () => {
  const customer = await feed.addChannel('whole', { entity_types: ['tickets'] });
  await feed.push('whole', ['tickets'], 2);
  await feed.deliverNow('whole');
  await eventually(() => expect(customer.pages).toHaveLength(1));
  const complete = async () => (await findChannel(feed.store, 'whole'))!.complete!;
  await eventually(async () => expect(await complete()).toMatchObject({ but: [] }));
  const { at } = await complete();
  expect(at.getTime()).toBeGreaterThan(Date.now() - 60_000);
  await feed.deliverNow('whole');
  await eventually(async () => expect((await complete()).at > at).toBe(true));
  expect(customer.pages).toHaveLength(1);
});
