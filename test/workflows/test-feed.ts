import { SearchAttributeType, type SignalDefinition } from '@temporalio/common';
import { signalChannel } from '../../temporal/channel-client';
import { nextDue } from '../../domain/deliveries/cadence';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { Company } from '../../domain/records/render-record';
import { type Channel, type ChannelSettings, findChannel } from '../../store/channels/channels';
import { type ChannelChanges, setChannel } from '../../store/channels/set-channel';
import { type DeliveryDocument } from '../../store/deliveries/deliveries';
import { type Marker, markerId } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { isUnavailable } from '../../store/unavailable';
import type { Store } from '../../store/store';
import {
  RECONCILE_ID,
  channelWorkflowId,
  type ChannelStatus,
  deliverNowSignal,
  deliveryWorkflowId,
  markerResetSignal,
} from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import { closeAtEnd } from '../setup/close-at-end';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type Script } from '../setup/fake-customer';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { pushRecords } from '../setup/push-records';
import { startWorker, type TestWorker } from '../setup/start-worker';

/** A worker in this process, or one of its own; and the means to reach its workflows. */
export type FeedWorker = TestWorker;

/** Before all that a test stores. */
const BEGINNING = new Date('2026-01-01T00:00:00Z');

// A loaded stand-in may answer nothing for longer than the driver waits.
const PUSHES = 5;

const HOUR_MS = 3_600_000;
/** A day or nearly: so long that the channel is not due within half an hour, whatever the time of day. */
const farOff = (slug: string) =>
  [24, 23, 22]
    .map((hours) => hours * HOUR_MS)
    .find((cadence) => nextDue(slug, cadence, Date.now()) > Date.now() + HOUR_MS / 2)!;

type Settings = Partial<ChannelSettings> & { authorization?: string };

/**
 * A real worker on a database and a Temporal namespace of its own: the reconciler of one file must not stop the
 * channels of another. Channels are due once a day unless a test says otherwise, so that what happens, a signal has caused.
 */
export class TestFeed<W extends FeedWorker = FeedWorker> {
  private readonly companies = new Map<string, Company>();

  private constructor(
    readonly store: Store,
    readonly worker: W,
  ) {}

  /** Its reconciler runs when a test runs it, and not by the clock. */
  static async start(options: { monitored?: boolean } = {}): Promise<TestFeed> {
    const feed = await TestFeed.on(await openStore(undefined, options), (store) => startWorker(store));
    await feed.client.schedule.getHandle(RECONCILE_ID).pause();
    return feed;
  }

  /** On a database of its own, which the worker's process may write to as long as it lives. */
  static async startWith<W extends FeedWorker>(
    start: (store: Store, databaseUri: string) => Promise<W>,
  ): Promise<TestFeed<W>> {
    const uri = newDatabaseUri();
    return TestFeed.on(await openStore(uri), (store) => start(store, uri));
  }

  private static async on<W extends FeedWorker>(
    store: Store,
    start: (store: Store) => Promise<W>,
  ): Promise<TestFeed<W>> {
    ownTemporalNamespace('feed');
    const feed = new TestFeed(store, await start(store));
    closeAtEnd(() => feed.endWorkflows());
    // the schedule runs once at start; what it starts is not what a test has started
    const query = 'WorkflowType = "reconcileChannels" AND ExecutionStatus = "Completed"';
    await eventually(async () => expect((await feed.client.workflow.count(query)).count).toBeGreaterThan(0));
    return feed;
  }

  get client() {
    return this.worker.client;
  }

  private async endWorkflows(): Promise<void> {
    const { workflow } = this.client;
    for await (const { workflowId } of workflow.list({ query: 'ExecutionStatus = "Running"' })) {
      await workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => undefined); // it may just have ended
    }
  }

  /** A customer with a channel of one company of its own; its workflow is not started yet. */
  async addChannel(
    slug: string,
    settings: Settings = {},
    script?: Script,
    host?: string,
  ): Promise<FakeCustomer> {
    const customer = await FakeCustomer.start(script, host);
    const company = { id: String(101 + this.companies.size), name: `Co-op of ${slug}` };
    this.companies.set(slug, company);
    await addTestChannel(this.store, slug, customer.baseUrl, {
      companies: [company.id],
      cadence_ms: farOff(slug),
      ...settings,
    });
    return customer;
  }

  /** A channel of accounts alone, whose delivery waits for its customer. */
  async addWaitingChannel(slug: string): Promise<FakeCustomer> {
    const later = { status: 503, headers: { 'retry-after': '600' } };
    const customer = await this.addChannel(slug, { entity_types: ['accounts'] }, () => later);
    await this.push(slug, ['accounts'], 1);
    await this.deliverNow(slug);
    await eventually(async () => expect((await this.laneOf(slug, 'accounts'))?.state).toBe('waiting'));
    return customer;
  }

  /** Changes the channel as an operator's tool would, without a signal. */
  async changeChannel(slug: string, change: ChannelChanges): Promise<void> {
    await setChannel(this.store, slug, change);
  }

  /** Every signal goes by itself: what the client would make one of. */
  signal<Arg>(slug: string, signal: SignalDefinition<[Arg]>, arg: Arg): Promise<void> {
    return signalChannel(this.client, this.worker.taskQueue, slug, signal, arg);
  }

  /** Starts the channel's workflow; Temporal may take longer on a busy machine than the client waits. */
  async ensureRunning(slug: string, cadenceMs: number): Promise<void> {
    await eventually(async () =>
      expect(await this.worker.temporal.ensureRunning(slug, cadenceMs)).toBe(true),
    );
  }

  deliverNow(slug: string): Promise<void> {
    return this.signal(slug, deliverNowSignal, { request_id: 'test' });
  }

  /** As the API does it: the marker, then the signal. */
  async reset(slug: string, type: EntityType, request_id = 'test', since = BEGINNING): Promise<void> {
    await resetChannelMarker(this.store, await this.channel(slug), type, since);
    const timestamp = since.toISOString();
    await this.signal(slug, markerResetSignal, { entity_types: [type], timestamp, request_id });
  }

  async channel(slug: string): Promise<Channel> {
    return (await findChannel(this.store, slug)) ?? fail(`there is no channel ${slug}`);
  }

  async laneOf(slug: string, type: EntityType) {
    const { lanes } = await this.handle(slug).query<ChannelStatus>('status');
    return lanes.find(({ entity_type }) => entity_type === type);
  }

  /** As the list of channels in the Temporal UI has it. */
  async healthOf(slug: string) {
    const { typedSearchAttributes } = await this.handle(slug).describe();
    return typedSearchAttributes.get({ name: 'GdxOutcome', type: SearchAttributeType.KEYWORD });
  }

  handle(slug: string) {
    return this.client.workflow.getHandle(channelWorkflowId(slug));
  }

  delivery(slug: string, type: EntityType, run: number) {
    return this.client.workflow.getHandle(deliveryWorkflowId(slug, type, run));
  }

  async marker(slug: string, type: EntityType): Promise<Marker> {
    const marker = await this.store.db.collection<Marker>('markers').findOne({ _id: markerId(slug, type) });
    return marker ?? fail(`${slug} has no marker of ${type}`);
  }

  async report(slug: string, type: EntityType, run: number): Promise<DeliveryDocument> {
    const _id = deliveryWorkflowId(slug, type, run);
    const report = await this.store.db.collection<DeliveryDocument>('deliveries').findOne({ _id });
    return report ?? fail(`there is no report of ${_id}`);
  }

  /** Waits until the report of a delivery has closed. */
  closed(slug: string, type: EntityType, run: number, withinMs?: number): Promise<DeliveryDocument> {
    return eventually(async () => {
      const report = await this.report(slug, type, run);
      expect(report.status).not.toBe('running');
      return report;
    }, withinMs);
  }

  /** Stores `amount` records of each type for the channel's company, numbered from `first`. */
  async push(slug: string, types: readonly EntityType[], amount: number, first = 1): Promise<void> {
    const lists = types.map((type) => [type, someRecords(type, amount, first)]);
    await this.pushThese(slug, Object.fromEntries(lists));
  }

  /** Pushes again while the database is away, as an ERP does. */
  async pushThese(slug: string, records: Parameters<typeof pushRecords>[1]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await pushRecords(this.store, records, this.companies.get(slug));
        return;
      } catch (error) {
        if (tries === PUSHES || !isUnavailable(error)) throw error;
      }
    }
  }

  /** The remote ids that the channel's customer holds, in order. */
  held(customer: FakeCustomer, type: EntityType): number[] {
    const held = [...customer.holds(type).values()];
    return held.map(({ remote_id }) => Number(remote_id)).sort((one, other) => one - other);
  }
}

export const ALL = ENTITY_TYPES;

export function someRecords(type: EntityType, amount: number, first = 1): object[] {
  return Array.from({ length: amount }, (_, index) => {
    const id = String(first + index);
    return type === 'accounts' ? { id, name: `Farm ${id}` } : { id, account_id: '1' };
  });
}

function fail(reason: string): never {
  throw new Error(reason);
}
