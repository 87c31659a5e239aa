import { setTimeout } from 'node:timers/promises';
import { endDays } from '../../domain/grant-end';
import { eraseFarmer, type Erased } from '../../control/erase-farmer';
import { closeStore } from '../../store/connect';
import { consents } from '../../store/sharing/consents';
import { subscriptions } from '../../store/sharing/subscriptions';
import { hearingSignals } from '../api/start-api';
import { type Call, rewire } from '../commit-order/rewire';
import { openStore } from '../setup/open-store';
import { revokeAccounts } from '../setup/share-accounts';
import { accountsOf, type Farmers, PHONE, pushAccounts, startFarmers } from './start-farmers';

let farmers: Farmers;
/** Before each call of the page to a collection. */
let before: (call: Call) => Promise<unknown> = async () => {};

beforeAll(async () => {
  const store = rewire(await openStore(), async (call) => {
    await before(call);
    return call.run();
  });
  farmers = await startFarmers({ store });
  await pushAccounts(farmers, accountsOf(PHONE, 2));
});
afterEach(() => {
  before = async () => {};
});
afterAll(async () => {
  await farmers.stop();
  await closeStore(farmers.store);
});

/** While the page saves, before its first call of this kind. */
function meanwhile(collection: string, method: string, act: () => Promise<unknown>): void {
  before = async (call) => {
    if (call.collection !== collection || call.method !== method) return;
    before = async () => {};
    await act();
  };
}
const shared = async () => subscriptions(farmers.store).find({ state: 'granted' }).toArray();
const erase = (): Promise<Erased> => {
  const parts = { store: farmers.store, temporal: hearingSignals().temporal };
  return eraseFarmer(parts, PHONE, { reason: 'letter', request_id: 'test' });
};
async function chosen(choice: Record<string, string | string[]>) {
  const visitor = await farmers.verified();
  await visitor.submit(choice);
  return visitor;
}

test('what is revoked elsewhere while its end is moved stays revoked', async () => {
  const first = await chosen({ account: ['42-1'] });
  await first.submit({ do: 'save' });
  const visitor = await chosen({ account: ['42-1'], ends_on: endDays(new Date()).last });
  const granted = await shared();
  meanwhile('consents', 'find', () => revokeAccounts(farmers.store, granted));
  await visitor.submit({ do: 'save' });
  const entries = await consents(farmers.store).find({ account: '42-1' }).sort({ number: 1 }).toArray();
  expect([await shared(), entries.map(({ act }) => act)]).toEqual([[], ['grant', 'revoke']]);
});

test('a page whose farmer is erased before it grants does not grant', async () => {
  const visitor = await chosen({ account: ['42-1'] });
  meanwhile('consents', 'find', erase);
  await visitor.submit({ do: 'save' });
  expect([visitor.page.status, await subscriptions(farmers.store).countDocuments()]).toEqual([403, 0]);
});

test('what a page grants as its farmer is erased is ended: the one waits for the other', async () => {
  const visitor = await chosen({ account: ['42-1', '42-2'] });
  let erased: Promise<Erased> | undefined;
  meanwhile('consents', 'insertMany', async () => {
    erased = erase();
    await setTimeout(500);
  });
  await visitor.submit({ do: 'save' });
  expect([await erased, await subscriptions(farmers.store).countDocuments()]).toMatchObject([
    { revoked: 2, subscriptions: 2 },
    0,
  ]);
});
