import { setTimeout } from 'node:timers/promises';
import { channelStatus, currentDetails } from '../../demo/operator-view';
import { generateCompany, type SampleCompany } from '../../sample/generate-elevator-company';
import { type Channel, type ChannelSettings, pauseChannel } from '../../store/channels';
import { grant } from '../../store/grant-and-revoke';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { farmerOf } from '../../store/subscriptions';
import {
  type ChannelStatus,
  channelWorkflowId,
  deliverNow,
  markerReset,
  settingsChanged,
  subscriptionsChanged,
} from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type Script } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import type { Stage } from './start-stage';

// So slow is the customer that is in the middle of a reset while it is looked at: 18 pages, after the first.
const PAGE_MS = 15_000;
const request_id = 'screenshots';

const CHANNELS = {
  acme: 'Acme Crop Insurance',
  bank: 'Heartland Farm Bank',
  credit: 'Farm Credit West',
  hail: 'Great Plains Hail',
  prairie: 'Prairie Mutual',
  river: 'Red River Ag Bank',
};
type Slug = keyof typeof CHANNELS;

/** The six customers of operators.md's stories, each as an operator finds it; all began by taking everything. */
export async function tellStories(stage: Stage): Promise<{ stop(): Promise<void> }> {
  const company = generateCompany({ seed: 42, accounts: 20, tickets: 900, settlements: 25 });
  await pushRecords(stage.store, ofErp(company));
  const cast = await Promise.all((Object.keys(CHANNELS) as Slug[]).map((slug) => enter(stage, slug)));
  const { hail, credit, river, bank } = Object.fromEntries(cast.map((one) => [one.slug, one])) as Record<
    Slug,
    Entered
  >;
  await Promise.all(cast.map(({ slug }) => untilQuiet(stage, slug)));

  const later = company.tickets.slice(0, 12).map((ticket) => ({ ...ticket, notes: 'weighed again' }));
  await pushRecords(stage.store, { tickets: later });
  hail.customer.script = () => ({ status: 503, body: '{"error":"down for maintenance"}' });
  credit.customer.script = () => 401;
  river.customer.script = slowly();
  await Promise.all([
    ...(['acme', 'hail', 'credit'] as const).map((slug) => stage.bell.ring(slug, deliverNow, { request_id })),
    pause(stage),
    shareTwoAccounts(stage, bank.channel, company),
    resetTickets(stage, river.channel),
  ]);
  await Promise.all((['acme', 'credit', 'prairie', 'bank'] as const).map((slug) => untilQuiet(stage, slug)));
  await eventually(async () => {
    const details = await currentDetails(stage.temporal, 'delivery/river/tickets/2');
    if (!details.startsWith('page')) throw new Error('the reset has not come a page far');
  });
  return { stop: async () => void (await Promise.all(cast.map(({ customer }) => customer.stop()))) };
}

interface Entered {
  slug: Slug;
  channel: Channel;
  customer: FakeCustomer;
}

async function enter({ store, bell }: Stage, slug: Slug): Promise<Entered> {
  const customer = await FakeCustomer.start();
  const settings: Partial<ChannelSettings> = {
    name: CHANNELS[slug],
    ...(['hail', 'credit', 'river'].includes(slug) && { entity_types: ['tickets'] }),
    ...(slug === 'river' && { page_size: 50 }),
    ...(slug === 'bank' && { scope: 'subscribed', entity_types: ['accounts', 'contracts', 'tickets'] }),
  };
  const { channel } = await addTestChannel(store, slug, customer.baseUrl, settings);
  await bell.ring(slug, deliverNow, { request_id });
  return { slug, channel, customer };
}

/** The run that was rung for is over. */
async function untilQuiet({ temporal }: Stage, slug: Slug): Promise<ChannelStatus> {
  return eventually(async () => {
    const status = await channelStatus(temporal, channelWorkflowId(slug));
    if (status.next_due === null || status.state === 'running') throw new Error(`${slug} is not done`);
    return status;
  });
}

function slowly(): Script {
  let pages = 0;
  return async () => {
    if (pages++ > 0) await setTimeout(PAGE_MS, undefined, { ref: false });
    return 200;
  };
}

async function pause({ store, bell }: Stage): Promise<void> {
  const reason = 'their maintenance until Monday';
  await pauseChannel(store, 'prairie', reason);
  await bell.ring('prairie', settingsChanged, { reason });
}

async function shareTwoAccounts(
  { store, bell }: Stage,
  channel: Channel,
  { accounts }: SampleCompany,
): Promise<void> {
  const { phone } = accounts[0]!.phones[0]!;
  const farmer = farmerOf(store, phone);
  const keys = accounts.slice(0, 2).map(({ id }) => {
    return { channel: channel._id, partner_id: 'LOAN-881', farmer, account: `42-${id}` };
  });
  await grant(store, channel, keys, phone.slice(-2));
  await bell.ring(channel._id, subscriptionsChanged, { request_id });
}

async function resetTickets({ store, bell }: Stage, channel: Channel): Promise<void> {
  const timestamp = new Date(Date.now() - 3_600_000);
  await resetChannelMarker(store, channel, 'tickets', timestamp, { dryRun: false });
  await bell.ring('river', markerReset, {
    entity_type: 'tickets',
    timestamp: timestamp.toISOString(),
    request_id,
  });
}

/** As the ERP pushes it: without the elevators, which are not fed. */
const ofErp = ({ accounts, contracts, tickets, settlements }: SampleCompany) => {
  return { accounts, contracts, tickets, settlements };
};
