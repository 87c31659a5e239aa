import { findChannel } from '../../store/channels/channels';
import { farmerOf } from '../../store/consent/subscriptions';
import { subscriptionsChangedSignal } from '../../workflows/messages';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { pushRecords } from '../setup/push-records';
import { grantAccounts } from '../setup/share-accounts';
import { TestFeed } from '../workflows/test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const MANY = cases(500, 5_000);
const AT_ONCE = 500;
const FIRST_MS = 10_000;

/** A channel that has passed over a ticket of each of a farmer's thousands of accounts, and of another farmer's single one. */
async function openMany(slug: string) {
  const company = { id: `c-${slug}`, name: 'Prairie Co-op' };
  const many = Array.from({ length: MANY }, (_, index) => `${100_000 + index}`);
  for (let from = 0; from < MANY; from += AT_ONCE) {
    const tickets = many
      .slice(from, from + AT_ONCE)
      .map((account_id) => ({ id: `T-${account_id}`, account_id }));
    await pushRecords(feed.store, { tickets }, company);
  }
  await pushRecords(feed.store, { tickets: [{ id: 'T-single', account_id: 'single' }] }, company);
  const customer = await feed.addChannel(slug, {
    scope: 'subscribed',
    companies: [company.id],
    entity_types: ['tickets'],
  });
  await feed.deliverNow(slug);
  await eventually(async () => expect((await feed.marker(slug, 'tickets')).position).toBeGreaterThan(MANY));
  const grant = async (accounts: string[], phone: string) => {
    const farmer = farmerOf(feed.store, phone);
    const keys = accounts.map((account) => ({
      ...{ channel: slug, partner_id: phone, farmer },
      account: `${company.id}-${account}`,
    }));
    await grantAccounts(feed.store, (await findChannel(feed.store, slug))!, keys);
  };
  const grantMany = async () => {
    for (let from = 0; from < MANY; from += AT_ONCE)
      await grant(many.slice(from, from + AT_ONCE), '7015550142');
  };
  const isThere = () =>
    customer.pages.some(({ records }) => records.some(({ remote_id }) => remote_id === 'T-single'));
  const signal = () => feed.signal(slug, subscriptionsChangedSignal, { request_id: 'test' });
  return { customer, grantMany, grantOne: () => grant(['single'], '7015550177'), isThere, signal };
}

test.each(['before', 'behind'] as const)(
  `a farmer’s single account that is granted %s another’s ${MANY} comes within ten seconds`,
  async (when) => {
    const slug = `single-${when}`;
    const { customer, grantMany, grantOne, isThere, signal } = await openMany(slug);
    if (when === 'before') await grantOne();
    await grantMany();
    await signal();
    if (when === 'behind') {
      await eventually(() => expect(customer.pages.length).toBeGreaterThan(0));
      await grantOne();
      await signal();
    }
    const granted = performance.now();
    await eventually(() => expect(isThere()).toBe(true));
    expect(performance.now() - granted).toBeLessThan(FIRST_MS);
  },
  600_000,
);
