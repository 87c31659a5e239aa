import type { DeliverInput } from '../../domain/deliveries/delivery';
import { loopbackAgent } from '../setup/loopback-agent';
import type { Store } from '../../store/store';
import { readMarkers } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { findChannel } from '../../store/channels/channels';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { closingAfter } from '../setup/close-at-end';
import { FakeCustomer } from '../setup/fake-customer';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

export const SLUG = 'acme';

/** A store, a customer and a channel of tickets between them, with the real activities to run by hand. */
async function openScene(pageSize: number) {
  const store = await emptyStore({ monitored: true });
  const customer = await FakeCustomer.start();
  const agent = loopbackAgent();
  await addTestChannel(store, SLUG, customer.baseUrl, { page_size: pageSize, entity_types: ['tickets'] });
  const worker = (through = store) => new ActivityWorker(SLUG, { store: through, agent, customer });
  return {
    store,
    customer,
    agent,
    push: (...ids: string[]) => pushTickets(store, ids),
    plan: (through?: Store) => worker(through).plan(),
    attempt: (input: DeliverInput, through?: Store, pages?: number) => worker(through).deliver(input, pages),
    run: (through?: Store) => worker(through).run(),
    reset: async (through = store) => {
      const channel = (await findChannel(store, SLUG))!;
      await resetChannelMarker(through, channel, 'tickets', new Date(0));
    },
    position: async () => (await readMarkers(store, SLUG)).get('tickets')?.position,
    /** The ids posted since, confirmed or not, in order. */
    posted: (since = 0) => customer.pages.slice(since).flatMap(idsOf),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens a scene and closes it again. */
export const withScene = <T>(pageSize: number, use: (scene: Scene) => Promise<T>): Promise<T> =>
  closingAfter(async () => use(await openScene(pageSize)));

const idsOf = ({ records }: FakeCustomer['pages'][number]) => records.map(({ remote_id }) => remote_id);

let version = 0;

/** Every call makes new versions, so that a known id is a change. */
export function pushTickets(store: Store, ids: string[]) {
  const note = `v${++version}`;
  return pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001', note })) });
}
