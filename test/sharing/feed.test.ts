import { setTimeout } from 'node:timers/promises';
import type { Company } from '../../domain/render-record';
import { type ChannelSettings, findChannel } from '../../store/feed/channels';
import { readCeiling } from '../../store/push/counters';
import { farmerOf } from '../../store/sharing/subscriptions';
import { deliveryWorkflowId, subscriptionsChangedSignal } from '../../workflows/messages';
import { slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, ReceivedPage, Script } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { recordedRuns } from '../workflows/read-history';
import { TestFeed } from '../workflows/test-feed';

const PHONE = '7015550142';
const LARGEST_PAYLOAD = 2_048;

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

/** A channel of scope `subscribed` that has passed over what its company had: two accounts of one phone. */
async function openShared(slug: string, tickets: number, script?: Script) {
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

const numbered = (first: number, amount: number) =>
  Array.from({ length: amount }, (_, index) => `${first + index}`);
const ticketsIn = (pages: ReceivedPage[]) =>
  pages
    .filter(({ entityType }) => entityType === 'tickets')
    .flatMap(({ records }) => records.map(({ remote_id }) => remote_id));

const slowly: Script = async () => {
  await setTimeout(300);
  return 200;
};

test('a grant brings what was before in catch-ups, then what comes; of the chosen account', async () => {
  const { customer, pushTickets, runToTheEnd, grant } = await openShared('granted', 12);
  await grant('1001');
  await eventually(() => expect(ticketsIn(customer.pages)).toEqual(numbered(1, 12)));

  const { run } = (await findChannel(feed.store, 'granted'))!;
  const ids = new Set(customer.pages.map(({ headers }) => headers['x-delivery-id']));
  expect([...ids].sort()).toEqual(
    ['accounts', 'tickets'].map((type) => `delivery/granted/${type}/${run}/catch-up`),
  );
  const catchUp = feed.client.workflow.getHandle(deliveryWorkflowId('granted', 'tickets', run, true));
  expect(await catchUp.result()).toMatchObject({ end: 'delivered', records: 12 });
  // The catch-up's own marker is gone by now: what it delivered is told with that of the entity type.
  expect((await feed.marker('granted', 'tickets')).delivered_at).toBeInstanceOf(Date);

  await pushTickets('1001', 101, 1);
  await pushTickets('1002', 601, 1);
  await runToTheEnd();
  expect(ticketsIn(customer.pages).slice(12)).toEqual(['101']);
  expect(customer.holds('accounts').size).toBe(1);
  for (const { body } of customer.pages) expect(body.toString()).not.toMatch(/"1002"|c-granted-1002/);
});

const PUSHES = 200;

/** Many pushes, and runs between them. */
async function pushMany({ pushTickets, runToTheEnd }: Awaited<ReturnType<typeof openShared>>) {
  for (let push = 1; push <= PUSHES; push++) {
    await pushTickets('1001', 1_000 + push, 1);
    if (push % (PUSHES / 4) === 0) await runToTheEnd();
  }
}

slowTest(`after a revoke, ${PUSHES} pushes of the account bring nothing more`, async () => {
  const shared = await openShared('revoked', 3);
  await shared.grant('1001');
  await eventually(() => expect(ticketsIn(shared.customer.pages)).toHaveLength(3));
  await shared.revoke('1001');
  await shared.runToTheEnd();
  const before = shared.customer.pages.length;
  await pushMany(shared);
  expect(shared.customer.pages.slice(before)).toEqual([]);
});

/** Revokes while the customer reads the second page of tickets, and answers late. */
function revokeInPage2(customer: FakeCustomer, revoke: () => Promise<void>): Promise<void> {
  return new Promise((revoked) => {
    customer.script = async (page) => {
      if (page.entityType === 'tickets' && page.meta.current_page === 2) await revoke().then(revoked);
      return slowly(page);
    };
  });
}

slowTest('nor do they when the revoke comes in the middle of a slow delivery', async () => {
  const shared = await openShared('revoked-in-delivery', 3, slowly);
  await shared.grant('1001');
  await eventually(() => expect(ticketsIn(shared.customer.pages)).toHaveLength(3));
  await shared.pushTickets('1001', 101, 40);
  const revoked = revokeInPage2(shared.customer, () => shared.revoke('1001'));
  await feed.deliverNow('revoked-in-delivery');
  await revoked;
  await pushMany(shared);
  expect(ticketsIn(shared.customer.pages).slice(3)).toEqual(numbered(101, 10));
});

slowTest('a page whose connection fails after the revoke does not go out once more', async () => {
  const shared = await openShared('revoked-and-cut-off', 3);
  await shared.grant('1001');
  await eventually(() => expect(ticketsIn(shared.customer.pages)).toHaveLength(3));
  await shared.runToTheEnd();
  await shared.pushTickets('1001', 101, 2);
  const before = shared.customer.pages.length;
  shared.customer.script = async () => {
    await shared.revoke('1001');
    return 'hang-up' as const; // on a kept connection: as if the customer had closed it just when the page came
  };
  await shared.runToTheEnd();
  expect(shared.customer.pages.slice(before)).toHaveLength(1);
});

test('a slow catch-up ends with the page that the customer reads when the revoke comes', async () => {
  const shared = await openShared('revoked-in-catch-up', 40, slowly);
  const revoked = revokeInPage2(shared.customer, () => shared.revoke('1001'));
  await shared.grant('1001');
  await revoked;
  await shared.pushTickets('1001', 101, 10);
  await shared.runToTheEnd();
  expect(ticketsIn(shared.customer.pages)).toEqual(numbered(1, 10));
});

test('no payload of any history reaches 2 KB, and none of them holds a phone', async () => {
  const runs = await recordedRuns(feed.client, 'WorkflowType != "temporal-sys-scheduler-workflow"');
  expect(runs.filter(({ workflowId }) => workflowId.endsWith('/catch-up')).length).toBeGreaterThan(3);
  const leaves = leavesIn(runs);
  const sizes = leaves.map((leaf) => leaf.length);
  expect(sizes.length).toBeGreaterThan(500);
  expect(Math.max(...sizes)).toBeLessThan(LARGEST_PAYLOAD);
  const encoded = Buffer.from(PHONE).toString('base64').slice(0, 12); // whole groups of three bytes only
  const texts = leaves.map((leaf) => Buffer.from(leaf as string).toString());
  expect(texts.filter((text) => text.includes(PHONE) || text.includes(encoded))).toEqual([]);
});

/** Every text and every payload that a history holds. */
function leavesIn(value: unknown): (string | Uint8Array)[] {
  if (typeof value === 'string' || value instanceof Uint8Array) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesIn);
}
