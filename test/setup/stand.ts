import type { DeliverInput } from '../../domain/deliveries/delivery';
import { type Channel, findChannel } from '../../store/channels/channels';
import { readMarkers } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import type { Store } from '../../store/store';
import { type Api, type ApiOptions, startApi } from '../api/start-api';
import type { TestFeed } from '../workflows/test-feed';
import { ActivityWorker } from './activity-worker';
import { addTestChannel } from './add-test-channel';
import { FakeCustomer, type Script } from './fake-customer';
import { loopbackAgent } from './loopback-agent';
import { emptyStore } from './open-store';

/** The channel of a stand. */
export const SLUG = 'acme';

/** What is to stand. Without a store of somebody else it is on the emptied one of the test file, or on that of its feed. */
interface Wanted {
  store?: Store;
  /** What the customer answers. */
  customer?: Script | 'confirms';
  /** Of one channel `acme`, to the customer where there is one. */
  channel?: Parameters<typeof addTestChannel>[3];
  /** A real worker, with a Temporal namespace and a store of its own. */
  feed?: Parameters<typeof TestFeed.start>[0];
  /** The API, with the worker behind it. */
  api?: ApiOptions;
}

type Standing<W extends Wanted> = { store: Store } & (W extends { customer: unknown } ? ByHand : object) &
  (W extends { channel: unknown } ? { added: Awaited<ReturnType<typeof addTestChannel>> } : object) &
  (W extends { feed: unknown } ? { feed: TestFeed } : object) &
  (W extends { api: unknown } ? { api: Api } : object);

/** All that a test is played on, as much of it as it names: test/README.md. */
export async function stand<const W extends Wanted>(wanted: W): Promise<Standing<W>> {
  const feed = wanted.feed && (await startFeed(wanted.feed));
  const store = wanted.store ?? feed?.store ?? (await emptyStore({ monitored: true }));
  const { customer: script, channel } = wanted;
  const customer = script && (await FakeCustomer.start(script === 'confirms' ? undefined : script));
  const added = channel && (await addTestChannel(store, SLUG, customer?.baseUrl ?? '', channel));
  const temporal = feed && { temporal: feed.worker.temporal };
  const api = wanted.api && (await startApi({ store, ...temporal, ...wanted.api }));
  return { store, ...(customer && byHand(store, customer)), added, feed, api } as unknown as Standing<W>;
}

/** Most tests have no need of what it takes along. */
async function startFeed(options: Wanted['feed']): Promise<TestFeed> {
  const { TestFeed: Feed } = await import('../workflows/test-feed.js');
  return Feed.start(options);
}

type ByHand = ReturnType<typeof byHand>;

/** The customer of the channel, and the real activities between them, run by hand. */
function byHand(store: Store, customer: FakeCustomer) {
  const agent = loopbackAgent();
  const channel = async () => (await findChannel(store, SLUG)) as Channel;
  const worker = (through = store, name?: string) =>
    new ActivityWorker(SLUG, { store: through, agent, customer }, name);
  return {
    customer,
    agent,
    channel,
    worker,
    plan: (through?: Store) => worker(through).plan(),
    attempt: (input: DeliverInput, through?: Store, pages?: number) => worker(through).deliver(input, pages),
    /** One run: plan, then every window; `pages` of each at the most. */
    run: (through?: Store, pages?: number) => worker(through).run({ ...(pages && { pages }) }),
    reset: async (through = store) => resetChannelMarker(through, await channel(), 'tickets', new Date(0)),
    position: async () => (await readMarkers(store, SLUG)).get('tickets')?.position,
    /** The tickets posted since, confirmed or not, in order. */
    posted: (since = 0) =>
      customer.pages
        .slice(since)
        .filter(({ entityType }) => entityType === 'tickets')
        .flatMap(({ records }) => records.map(({ remote_id }) => remote_id)),
  };
}
