import { setTimeout } from 'node:timers/promises';
import { queryChannelStatus, queryCurrentDetails } from '../../tools/demo/operator-view';
import { generateCompany, type SampleCompany } from '../../tools/sample/generate-elevator-company';
import { type Channel, type ChannelSettings, pauseChannel } from '../../store/channels/channels';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { farmerOf } from '../../store/consent/subscriptions';
import { type ChannelStatus, channelWorkflowId } from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type Script } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { grantAccounts } from '../setup/share-accounts';
import type { ScreenshotStage } from './start-screenshot-stage';

// So slow is the customer that is in the middle of a reset while it is looked at: 18 pages, after the first.
const PAGE_MS = 22_000;
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

/** Six customers in the states that docs/operator.md describes; all began by receiving everything. */
export async function tellStories(stage: ScreenshotStage): Promise<void> {
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
    ...(['acme', 'hail', 'credit'] as const).map((slug) => stage.temporal.deliverNow(slug, { request_id })),
    pause(stage),
    shareTwoAccounts(stage, bank.channel, company),
    resetTickets(stage, river.channel),
  ]);
  await Promise.all((['acme', 'credit', 'prairie', 'bank'] as const).map((slug) => untilQuiet(stage, slug)));
  await eventually(async () => {
    const details = await queryCurrentDetails(stage.client, 'delivery/river/tickets/2');
    if (!details.startsWith('page')) throw new Error('the reset has not come a page far');
  });
}

interface Entered {
  slug: Slug;
  channel: Channel;
  customer: FakeCustomer;
}

async function enter({ store, temporal }: ScreenshotStage, slug: Slug): Promise<Entered> {
  const customer = await FakeCustomer.start();
  const settings: Partial<ChannelSettings> = {
    name: CHANNELS[slug],
    ...(['hail', 'credit', 'river'].includes(slug) && { entity_types: ['tickets'] }),
    ...(slug === 'river' && { page_size: 50 }),
    ...(slug === 'bank' && { scope: 'subscribed', entity_types: ['accounts', 'contracts', 'tickets'] }),
  };
  const { channel } = await addTestChannel(store, slug, customer.baseUrl, settings);
  await temporal.deliverNow(slug, { request_id });
  return { slug, channel, customer };
}

/** The signalled run has ended. */
async function untilQuiet({ client }: ScreenshotStage, slug: Slug): Promise<ChannelStatus> {
  return eventually(async () => {
    const status = await queryChannelStatus(client, channelWorkflowId(slug));
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

async function pause({ store, temporal }: ScreenshotStage): Promise<void> {
  const reason = 'their maintenance until Monday';
  await pauseChannel(store, 'prairie', reason);
  await temporal.settingsChanged('prairie', reason);
}

async function shareTwoAccounts(
  { store, temporal }: ScreenshotStage,
  channel: Channel,
  { accounts }: SampleCompany,
): Promise<void> {
  const { phone } = accounts[0]!.phones[0]!;
  const farmer = farmerOf(store, phone);
  const keys = accounts.slice(0, 2).map(({ id }) => {
    return { channel: channel._id, partner_id: 'LOAN-881', farmer, account: `42-${id}` };
  });
  await grantAccounts(store, channel, keys, phone.slice(-2));
  await temporal.subscriptionsChanged(channel._id, { request_id });
}

async function resetTickets({ store, temporal }: ScreenshotStage, channel: Channel): Promise<void> {
  const timestamp = new Date(Date.now() - 3_600_000);
  await resetChannelMarker(store, channel, 'tickets', timestamp);
  await temporal.markerReset('river', {
    entity_types: ['tickets'],
    timestamp: timestamp.toISOString(),
    request_id,
  });
}

/** As the ERP pushes it: without the elevators, which are not fed. */
const ofErp = ({ accounts, contracts, tickets, settlements }: SampleCompany) => {
  return { accounts, contracts, tickets, settlements };
};
