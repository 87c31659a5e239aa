import { setTimeout } from 'node:timers/promises';
import type { Company } from '../../domain/records/render-record';
import { type ChannelSettings, findChannel } from '../../store/channels/channels';
import { readCeiling } from '../../store/records/counters';
import { farmerOf } from '../../store/consent/subscriptions';
import { subscriptionsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, ReceivedPage, Script } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import type { TestFeed } from '../workflows/test-feed';

export const PHONE = '7015550142';

/** A channel of scope `subscribed` that has passed over what its company had: two accounts of one phone. */
export async function openSharedFeed(feed: TestFeed, slug: string, tickets: number, script?: Script) {
  const company: Company = { id: `c-${slug}`, name: 'Prairie Co-op' };
  const { store } = feed;
  const pushTickets = (account_id: string, first: number, amount: number) =>
    pushRecords(store, { tickets: numbered(first, amount).map((id) => ({ id, account_id })) }, company);
  await pushRecords(
    store,
    { accounts: ['1001', '1002'].map((id) => ({ id, name: 'Meyer Farms', phones: [{ phone: PHONE }] })) },
    company,
  );
  await pushTickets('1001', 1, tickets);
  await pushTickets('1002', 501, tickets);
  const settings: Partial<ChannelSettings> = {
    scope: 'subscribed',
    companies: [company.id],
    entity_types: ['accounts', 'tickets'],
    page_size: 5,
  };
  const customer = await feed.addChannel(slug, settings, script);
  const key = (account: string) => ({
    channel: slug,
    partner_id: 'policy-1',
    farmer: farmerOf(store, PHONE),
    account: `${company.id}-${account}`,
  });
  const signal = () => feed.signal(slug, subscriptionsChangedSignal, { request_id: 'test' });
  const runToTheEnd = async () => {
    const ceiling = await readCeiling(store, 'tickets');
    await feed.deliverNow(slug);
    await eventually(async () => {
      expect((await feed.marker(slug, 'tickets')).position).toBeGreaterThanOrEqual(ceiling);
      expect(await feed.handle(slug).query('status')).toMatchObject({ state: 'waiting' });
    });
  };
  await runToTheEnd();
  expect(customer.pages).toEqual([]);
  return {
    customer,
    pushTickets,
    runToTheEnd,
    async grant(account: string) {
      await grantAccounts(store, (await findChannel(store, slug))!, [key(account)]);
      await signal();
    },
    async revoke(account: string) {
      await revokeAccounts(store, [key(account)]);
      await signal();
    },
  };
}

export const numbered = (first: number, amount: number) =>
  Array.from({ length: amount }, (_, index) => `${first + index}`);
export const ticketsIn = (pages: ReceivedPage[]) =>
  pages
    .filter(({ entityType }) => entityType === 'tickets')
    .flatMap(({ records }) => records.map(({ remote_id }) => remote_id));

export const slowly: Script = async () => {
  await setTimeout(300);
  return 200;
};

/** Revokes while the customer reads the second page of tickets, and answers late. */
export function revokeInPage2(customer: FakeCustomer, revoke: () => Promise<void>): Promise<void> {
  return new Promise((revoked) => {
    customer.script = async (page) => {
      if (page.entityType === 'tickets' && page.meta.current_page === 2) await revoke().then(revoked);
      return slowly(page);
    };
  });
}
