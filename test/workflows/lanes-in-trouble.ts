import { setTimeout } from 'node:timers/promises';
import { farmerOf } from '../../store/consent/subscriptions';
import { type ChannelStatus, subscriptionsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, Script } from '../setup/fake-customer';
import { grantAccounts } from '../setup/share-accounts';
import { untilPage } from '../setup/until-page';
import type { TestFeed } from './test-feed';

/** What accounts meet, so that their delivery ends neither soon nor at all. */
export interface Trouble {
  accounts: Script;
  /** How many of them there are. */
  amount: number;
  /** How many requests with accounts begin at most, while tickets come `rounds` times. */
  begin: (rounds: number) => number;
}

export const never = () => new Promise<never>(() => {});

export const of =
  (type: string, script: Script): Script =>
  (page) =>
    page.entityType === type ? script(page) : 200;

const LATER = { status: 503, headers: { 'retry-after': '600' } };

export const TROUBLE = {
  'are waited for': { accounts: () => LATER, amount: 1, begin: () => 1 },
  // A request is given up after 30 s: who waited for that would meet a further one in each round.
  'are never answered': { accounts: never, amount: 1, begin: (rounds) => rounds },
  'have a long backlog': { accounts: () => setTimeout(1_000, 200), amount: 3_000, begin: () => 1_000 },
} satisfies Record<string, Trouble>;

interface Lanes {
  feed: TestFeed;
  slug: string;
  customer: FakeCustomer;
}

/** A page of tickets comes in each round, while accounts are in trouble. */
async function expectTickets(
  { feed, slug, customer }: Lanes,
  trouble: Trouble,
  { rounds, ask }: { rounds: number; ask: () => Promise<unknown> },
): Promise<void> {
  customer.script = of('accounts', trouble.accounts);
  await feed.push(slug, ['accounts'], trouble.amount);
  await untilPage(customer, 'accounts', () => feed.deliverNow(slug));
  const open = async () => {
    const { open_deliveries } = await feed.handle(slug).query<ChannelStatus>('status');
    return open_deliveries.filter((id) => id.startsWith(`delivery/${slug}/accounts/`));
  };
  const [delivery] = await open();
  for (let round = 0; round < rounds; round++) {
    await untilPage(customer, 'tickets', ask);
    await eventually(async () => expect((await feed.laneOf(slug, 'tickets'))?.state).toBe('idle'));
  }
  const begun = customer.pages.filter(({ entityType }) => entityType === 'accounts');
  expect(begun.length).toBeLessThanOrEqual(trouble.begin(rounds));
  expect(await open()).toEqual([delivery]);
}

/** The request that asked for the last page of tickets. */
const lastRequest = (customer: FakeCustomer) => customer.confirmed('tickets').at(-1)!.headers['x-request-id'];

export async function expectResets(
  feed: TestFeed,
  slug: string,
  trouble: Trouble,
  rounds: number,
): Promise<void> {
  const customer = await feed.addChannel(slug, { page_size: 3 });
  await feed.push(slug, ['tickets'], 3);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 1);
  const ask = () => feed.reset(slug, 'tickets', 'their-request');
  await expectTickets({ feed, slug, customer }, trouble, { rounds, ask });
  expect(lastRequest(customer)).toBe('their-request');
}

export async function expectGrants(
  feed: TestFeed,
  slug: string,
  trouble: Trouble,
  rounds: number,
): Promise<void> {
  const customer = await feed.addChannel(slug, {
    ...{ scope: 'subscribed', page_size: 1, entity_types: ['accounts', 'tickets'] },
  });
  const channel = await feed.channel(slug);
  const farmer = farmerOf(feed.store, '7015550142');
  let shared = 0;
  const share = async () => {
    const account = `${channel.companies[0]}-${++shared}`;
    await grantAccounts(feed.store, channel, [{ channel: slug, partner_id: 'policy', farmer, account }]);
    await feed.signal(slug, subscriptionsChangedSignal, { request_id: 'farmer' });
  };
  const tickets = Array.from({ length: rounds + 1 }, (_, index) => {
    return { id: `T-${index}`, account_id: `${index + 1}` };
  });
  await feed.pushThese(slug, { tickets });
  await share();
  await feed.deliverNow(slug);
  await eventually(() => expect(customer.holds('tickets').size).toBe(1));
  await expectTickets({ feed, slug, customer }, trouble, { rounds, ask: share });
  expect(customer.holds('tickets').size).toBe(shared);
  expect(lastRequest(customer)).toBe('farmer');
}
