import fc from 'fast-check';
import { whoSees } from '../../api/farmer/who-sees';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import type { Sent } from '../../store/consent/subscriptions';
import { played, scaledTest } from '../setup/cases';
import type { ReceivedPage } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';
import { accountsNamed } from './accounts-named';

const PHONE = '7015550142';
const ACCOUNTS = ['1001', '1002'];
const PARTNERS = ['policy-1', 'policy-2'];

let scene: SharedScene;
beforeAll(async () => {
  scene = await openSharedScene(2);
  await pushRecords(scene.store, {
    accounts: ACCOUNTS.map((id) => ({ id, name: 'Meyer Farms', phones: [{ phone: PHONE }] })),
  });
});

type Act =
  | { act: 'push'; ticket: number; of: string[]; note: number }
  | { act: 'grant'; account: string; partner: string }
  | { act: 'revoke'; account: string; partner: string }
  | { act: 'run'; pages: number; status: number };

const choice = <A extends 'grant' | 'revoke'>(act: A) =>
  fc.record({
    act: fc.constant(act),
    account: fc.constantFrom(...ACCOUNTS),
    partner: fc.constantFrom(...PARTNERS),
  });

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('push' as const),
      ticket: fc.nat(5),
      of: fc.subarray(ACCOUNTS, { minLength: 1 }),
      note: fc.nat(99),
    }),
    choice('grant'),
    choice('revoke'),
    fc.record({
      act: fc.constant('run' as const),
      pages: fc.constantFrom(1, 2, 9),
      status: fc.constantFrom(200, 200, 200, 503),
    }),
  ),
  { minLength: 4, maxLength: 14 },
);

async function perform(act: Act): Promise<void> {
  if (act.act === 'push')
    return void (await scene.pushTickets({ [`T${act.ticket}`]: act.of }, `${act.note}`));
  if (act.act === 'grant') return void (await scene.grant(act.account, act.partner));
  if (act.act === 'revoke') return void (await scene.revoke(act.account, act.partner));
  scene.customer.script = () => act.status;
  await scene.run(undefined, act.pages);
}

/** The last confirmed page with something of the account, since it is shared without a break. */
function lastOf(account: string, since: number): ReceivedPage | undefined {
  return scene.customer.pages.findLast(
    ({ status, entityType, records }, index) =>
      index >= since &&
      status === 200 &&
      records.some((record) => accountsNamed(entityType, record).includes(account)),
  );
}

scaledTest(
  'when something of an account was last sent is what the delivery reports say',
  async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (played) => {
        // Each grant begins anew: how many pages there were before the first of those that hold.
        const since = new Map<string, Map<string, number>>(ACCOUNTS.map((account) => [account, new Map()]));
        for (const account of ACCOUNTS) for (const partner of PARTNERS) await scene.revoke(account, partner);
        for (const act of played) {
          await perform(act);
          if (act.act === 'revoke') since.get(act.account)!.delete(act.partner);
          if (act.act !== 'grant') continue;
          const ofAccount = since.get(act.account)!;
          if (!ofAccount.has(act.partner)) ofAccount.set(act.partner, scene.customer.pages.length);
        }
        await expectAsReported(since);
      }),
      played(2, 60),
    );
  },
  3_600_000,
);

async function expectAsReported(since: Map<string, Map<string, number>>): Promise<void> {
  const { recipients } = await whoSees(scene.store, PHONE);
  const [recipient] = recipients;
  const shown = new Map(recipient?.accounts.map((account) => [account.id, account]));
  for (const account of ACCOUNTS) {
    const grants = [...since.get(account)!.values()];
    const row = shown.get(accountId(account));
    expect(row !== undefined).toBe(grants.length > 0);
    if (!row) continue;
    const last = lastOf(accountId(account), Math.min(...grants));
    const stored = await sentOf(accountId(account));
    expect(stored?.delivery).toBe(last?.headers['x-delivery-id']);
    expect(row.sentAt).toEqual(stored?.at ?? null);
    if (!stored) continue;
    const report = await scene.store.db
      .collection<DeliveryDocument>('deliveries')
      .findOne({ _id: stored.delivery });
    expect(report!.pages).toBeGreaterThan(0);
    expect(stored.at.getTime()).toBeGreaterThanOrEqual(report!.started_at.getTime());
    expect(stored.at.getTime()).toBeLessThanOrEqual(Date.now());
  }
}

async function sentOf(account: string): Promise<Sent | undefined> {
  const found = await scene.store.db
    .collection<{ account: string; state: string; sent?: Sent | null }>('subscriptions')
    .find({ account, state: 'granted', sent: { $ne: null } })
    .sort({ 'sent.at': -1 })
    .toArray();
  return found[0]?.sent ?? undefined;
}
