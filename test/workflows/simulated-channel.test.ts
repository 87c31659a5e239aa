import type { PlannedWindow, RunPlan, Trigger } from '../../domain/deliveries/delivery';
import type { EntityType } from '../../domain/records/entity-types';
import { channelFeed } from '../../workflows/channel-feed';
import { SimulatedChannel } from './simulated-channel';

jest.mock(
  '@temporalio/workflow',
  () => jest.requireActual<typeof import('./simulated-channel')>('./simulated-channel').simulatedSdk,
);

afterEach(() => jest.restoreAllMocks());

const TYPES: EntityType[] = ['accounts', 'contracts', 'tickets'];

const windowOf = (entity_type: EntityType, catch_up = false): PlannedWindow => ({
  entity_type,
  catch_up,
  generation: 0,
  from: 0,
  to: 9,
  records: 9,
  read: 'range',
  more: false,
  unanswered: false,
});

const planOf = (some: Partial<Extract<RunPlan, { state: 'active' }>>): RunPlan => ({
  state: 'active',
  name: 'Acme',
  cadence_ms: 3_600_000,
  page_size: 100,
  run: 1,
  windows: [],
  held: [],
  markers: TYPES.map((entity_type) => ({ entity_type, confirmed_to: null, delivered_at: null })),
  ...some,
});

/** Each with its own window and a catch-up behind it. */
const busy = (types: string[]) =>
  planOf({
    windows: TYPES.filter((type) => types.includes(type)).flatMap((type) => [
      windowOf(type),
      windowOf(type, true),
    ]),
  });

const [accounts] = TYPES;
const stalled = {
  delivery: 'delivery/acme/accounts/1',
  reason: 'Acme answered 503',
  until: '2026-01-01T12:05:30.000Z',
};
const IN_THE_SAME_TASK = {
  nothing: () => {},
  'a delivery that stalls': ({ signal }: SimulatedChannel) => signal('deliveryStalled', stalled),
  'the end of a window, behind which another waits': ({ deliveries }: SimulatedChannel) =>
    deliveries[0]!.end('delivered'),
  'the end of a lane': ({ deliveries }: SimulatedChannel) => deliveries[0]!.end('paused'),
  'deliver now': ({ signal }: SimulatedChannel) => signal('deliverNow', { request_id: 'r' }),
};

describe('channel-feed', () => {
  test.each(Object.entries(IN_THE_SAME_TASK))(
    'a history that is too long ends, although it becomes so with %s',
    async (_, happens) => {
      const channel = SimulatedChannel.of(busy);
      await channel.begin(channelFeed);
      channel.historyLength = 1_001;
      await channel.activate(() => happens(channel));
      channel.now += 60_000;
      await channel.activate();
      const open = channel.deliveries.filter(({ signals }) => signals.includes('handBack'));
      await channel.activate(
        ...open.map(
          ({ end }) =>
            () =>
              end('handed_back'),
        ),
      );
      expect(channel.continued?.lanes).toEqual(
        expect.arrayContaining([expect.objectContaining({ entity_type: accounts })]),
      );
      expect(channel.plans).toBe(1);
    },
  );

  test('all types begin at once: none waits for another', async () => {
    const channel = SimulatedChannel.of(busy);
    await channel.begin(channelFeed);
    expect(channel.deliveries.map(({ id }) => id)).toEqual(TYPES.map((type) => `delivery/acme/${type}/1`));
  });

  test('a delivery that found more than was planned is delivered, and its type is planned again at once', async () => {
    const channel = SimulatedChannel.of((types) =>
      planOf({
        windows: types.includes(accounts!) && channel.plans === 1 ? [windowOf(accounts!, true)] : [],
      }),
    );
    await channel.begin(channelFeed);
    await channel.activate(() => channel.deliveries[0]!.end('delivered', { more: true }));
    expect([channel.plans, channel.deliveries.length]).toEqual([2, 1]);
  });

  test('a delivery whose start and whose stall are heard of together is shown as stalled', async () => {
    const channel = SimulatedChannel.of(busy);
    channel.whileStarting = () => channel.signal('deliveryStalled', stalled);
    await channel.begin(channelFeed);
    expect(channel.details).toContain('| accounts | waiting: Acme answered 503, next try 12:05:30 |');
  });

  test('a type that is held back by a worker whose clock is behind is not planned without end', async () => {
    const ASKED_MS = 600_000;
    const plans: number[] = [];
    const channel: SimulatedChannel = SimulatedChannel.of((types) => {
      if (!types.includes('accounts')) return planOf({});
      const left_ms: number = begun + ASKED_MS - channel.now; // the worker's clock is as far behind at both
      plans.push(left_ms);
      return planOf({ held: left_ms > 0 ? [{ entity_type: 'accounts', left_ms }] : [] });
    });
    const begun: number = channel.now;
    await channel.begin(channelFeed);
    channel.now += ASKED_MS - 1;
    await channel.activate();
    expect(plans).toEqual([ASKED_MS]);
    channel.now += 1;
    await channel.activate();
    expect(plans).toEqual([ASKED_MS, 0]);
  });

  test('a customer who has come to collect its pages waits for no Retry-After of when they were posted', async () => {
    const plans: string[] = [];
    const channel = SimulatedChannel.of((types, trigger) => {
      plans.push(`${trigger} ${types.join()}`);
      return planOf({ held: plans.length > 1 ? [] : [{ entity_type: 'accounts', left_ms: 3_600_000 }] });
    });
    await channel.begin(channelFeed);
    await channel.activate(() =>
      channel.signal('markerReset', { entity_types: ['accounts'], timestamp: '', request_id: 'r' }),
    );
    expect(plans).toEqual(['schedule accounts,contracts,tickets,settlements']);
    await channel.activate(() =>
      channel.signal('pageAskedFor', { entity_types: ['accounts'], request_id: 'q' }),
    );
    expect(plans.slice(1)).toEqual(['reset accounts']);
    expect(channel.details).toContain('| accounts | idle');
  });

  test('a request whose plan failed is made again as what it was, a minute later', async () => {
    const plans: [trigger: string, types: string[]][] = [];
    const channel: SimulatedChannel = SimulatedChannel.of((types, trigger) => {
      plans.push([trigger, types]);
      if (plans.length === 2) throw new Error('MongoDB is away');
      return planOf({});
    });
    await channel.begin(channelFeed);
    await channel.activate(() =>
      channel.signal('markerReset', { entity_types: ['contracts'], timestamp: '', request_id: 'r' }),
    );
    expect(plans.slice(1)).toEqual([['reset', ['contracts']]]);
    channel.now += 60_000;
    await channel.activate();
    expect(plans[2]).toEqual(['reset', ['contracts']]);
    expect(plans[3]![0]).toBe('schedule');
    channel.now += 3_600_000;
    await channel.activate();
    expect(plans.slice(4).map(([trigger]) => trigger)).toEqual(['schedule']);
  });

  test('of two requests whose plans failed the stronger is made again', async () => {
    const plans: Trigger[] = [];
    const channel: SimulatedChannel = SimulatedChannel.of((_, trigger) => {
      plans.push(trigger);
      if (plans.length === 2 || plans.length === 3) throw new Error('MongoDB is away');
      return planOf({});
    });
    await channel.begin(channelFeed);
    const asked = { entity_types: ['contracts'], timestamp: '', request_id: 'r' };
    await channel.activate(() => channel.signal('markerReset', asked));
    await channel.activate(() => channel.signal('subscriptionsChanged', { request_id: 's' }));
    expect(plans.slice(1)).toEqual(['reset', 'subscriptions']);
    channel.now += 60_000;
    await channel.activate();
    expect(plans[3]).toBe('reset');
  });
});
