import { eventually } from '../setup/eventually';
import { TestFeed } from '../workflows/test-feed';
import { numbered, openSharedFeed, revokeInPage2, slowly, ticketsIn } from './open-shared-feed';
import { nightlyTest, cases, scaledTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const PUSHES = cases(40, 200);

/** Many pushes, and runs between them. */
async function pushMany({ pushTickets, runToTheEnd }: Awaited<ReturnType<typeof openSharedFeed>>) {
  for (let push = 1; push <= PUSHES; push++) {
    await pushTickets('1001', 1_000 + push, 1);
    if (push % (PUSHES / 4) === 0) await runToTheEnd();
  }
}

scaledTest(`after a revoke, ${PUSHES} pushes of the account bring nothing more`, async () => {
  const shared = await openSharedFeed(feed, 'revoked', 3);
  await shared.grant('1001');
  await eventually(() => expect(ticketsIn(shared.customer.pages)).toHaveLength(3));
  await shared.revoke('1001');
  await shared.runToTheEnd();
  const before = shared.customer.pages.length;
  await pushMany(shared);
  expect(shared.customer.pages.slice(before)).toEqual([]);
});

scaledTest('nor do they when the revoke comes in the middle of a slow delivery', async () => {
  const shared = await openSharedFeed(feed, 'revoked-in-delivery', 3, slowly);
  await shared.grant('1001');
  await eventually(() => expect(ticketsIn(shared.customer.pages)).toHaveLength(3));
  await shared.pushTickets('1001', 101, 40);
  const revoked = revokeInPage2(shared.customer, () => shared.revoke('1001'));
  await feed.deliverNow('revoked-in-delivery');
  await revoked;
  await pushMany(shared);
  expect(ticketsIn(shared.customer.pages).slice(3)).toEqual(numbered(101, 10));
});

nightlyTest('a page whose connection fails after the revoke does not go out once more', async () => {
  const shared = await openSharedFeed(feed, 'revoked-and-cut-off', 3);
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
