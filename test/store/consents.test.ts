import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { listWithoutGrant } from '../../store/sharing/consents';
import { verifyConsents } from '../../store/sharing/verify-consents';
import { refuse } from '../../store/sharing/grant-and-revoke';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { actsOf, grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { slowTest } from '../setup/cases';

const SLUG = 'acme';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, SLUG, 'https://acme.example', { scope: 'subscribed' });
});

const keysOf = (accounts: string[], partner_id = 'policy-1') =>
  accounts.map((account) => ({ channel: SLUG, partner_id, farmer: 'dale', account }));

const share = async (accounts: string[], partner?: string) =>
  grantAccounts(store, (await findChannel(store, SLUG))!, keysOf(accounts, partner));

const end = (...accounts: string[]) => revokeAccounts(store, keysOf(accounts));

const entries = () => store.db.collection<{ _id: string }>('consents');
const found = async (through = store) =>
  (await listWithoutGrant(through, SLUG)).map(({ partner_id, account }) => `${partner_id} ${account}`);

test('the last entry is gone: the chain holds, and what it granted is named', async () => {
  await share(['1', '2']);
  await refuse(store, actsOf('refusal', keysOf(['3'])));
  await share(['1'], 'policy-2');
  expect(await found()).toEqual([]);
  await entries().deleteOne({ _id: `${SLUG}/4` });
  expect(await verifyConsents(store, SLUG)).toMatchObject({ ok: true, links: 3 });
  expect(await found()).toEqual(['policy-2 1']);
});

test('a second grant is gone, and the revoke before it is the last; so is a whole ledger', async () => {
  await share(['1', '2']);
  await end('1', '2');
  await share(['2']);
  expect(await found()).toEqual([]);
  await entries().deleteOne({ _id: `${SLUG}/5` });
  expect(await found()).toEqual(['policy-1 2']);
  await entries().deleteMany({});
  expect(await found()).toEqual(['policy-1 2']);
});

test('what is revoked, or granted, while it looks is not named', async () => {
  await share(['1', '2']);
  let saved = false;
  const meanwhile = rewire(store, async ({ collection, method, run }) => {
    if (collection === 'consents' && method === 'find' && !saved) {
      saved = true;
      await end('1', '2');
      await share(['3']);
      await end('2');
      await share(['2']);
      await entries().deleteOne({ act: 'grant', account: '2', number: { $gt: 2 } });
    }
    return run();
  });
  expect(await found(meanwhile)).toEqual([]);
  expect(await found()).toEqual(['policy-1 2']);
});

slowTest('of thousands: a question a batch, and one more where something is missing', async () => {
  const accounts = Array.from({ length: 1_200 }, (_, index) => `${index}`);
  for (const part of [accounts.slice(0, 500), accounts.slice(500, 1_000), accounts.slice(1_000)]) {
    await share(part);
  }
  await entries().deleteMany({ number: { $gt: 1_190 } });
  let questions = 0;
  const counting = rewire(store, ({ run }) => {
    questions += 1;
    return run();
  });
  expect((await found(counting)).sort()).toEqual(
    accounts
      .slice(1_190)
      .map((id) => `policy-1 ${id}`)
      .sort(),
  );
  expect(questions).toBe(1 + 3 + 1); // what is granted, three batches of entries, and again what seems to lack its own
});
