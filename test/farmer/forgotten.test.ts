import { eraseFarmer } from '../../control/erase-farmer';
import { findChannel } from '../../store/feed/channels';
import { listConsents } from '../../store/sharing/consents';
import { farmerNotices } from '../../store/sharing/farmer-notices';
import { farmerIdOf } from '../../store/sharing/farmers';
import { listGranted } from '../../store/sharing/subscriptions';
import { verifyConsents } from '../../store/sharing/verify-consents';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { startDesk, type Desk } from '../cli/start-desk';
import { addTestChannel } from '../setup/add-test-channel';
import { grantAccounts } from '../setup/share-accounts';
import { accountsOf, type Farmers, OTHER_PHONE, PHONE, pushAccounts, startFarmers } from './start-farmers';
import { slowTest } from '../setup/cases';
import { rowsIn, textOf, type Visitor } from './visitor';

// A real page, and gdx, on one database.
let desk: Desk;
let farmers: Farmers;

beforeEach(async () => {
  desk = await startDesk();
  farmers = await startFarmers({ store: desk.store });
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  await pushAccounts(farmers, accountsOf(OTHER_PHONE, 1, 9));
});
afterEach(async () => {
  await farmers.stop();
  await desk.close(['acme']);
});

async function share(phone: string, ...account: string[]): Promise<Visitor> {
  const visitor = await farmers.verified({ phone });
  await visitor.submit({ account });
  await visitor.submit({ do: 'save' });
  return visitor;
}
const ticked = ({ page }: Visitor) => rowsIn(page.html).flatMap((row) => (row.ticked ? row.id : []));
const shared = async () => (await listGranted(desk.store, 'acme')).map(({ account }) => account).sort();
const hashKey = async (...options: string[]) => {
  const run = await desk.gdx(['secrets', 'hash-key', ...options, '--json']);
  return run.exitCode === 0 ? run.json() : run.stderr;
};

slowTest(
  'the key that hashes phones is exchanged: grants and receipts are found by both, then by the new one',
  async () => {
    await share(PHONE, '42-1');
    await share(OTHER_PHONE, '42-9');
    const before = await hashKey();
    expect(before).toMatchObject({ previous: null, farmers: 2, by_previous: 0 });
    const exchanged = await hashKey('--new');
    expect(exchanged).toMatchObject({
      previous: before.current,
      farmers: 2,
      by_previous: 2,
      of_these_sharing: 2,
    });
    expect(await hashKey('--new')).toMatch(/two keys are in use already/);

    // The API was started with the key before, and runs on.
    expect(ticked(await farmers.verified())).toEqual(['42-1']);
    expect(await hashKey()).toMatchObject({ farmers: 2, by_previous: 1, of_these_sharing: 1 });
    expect(await hashKey('--drop-previous')).toMatch(/1 farmer who share are still hashed/);

    const other = await share(OTHER_PHONE);
    expect(await shared()).toEqual(['42-1']);
    expect(await hashKey('--drop-previous')).toMatchObject({
      current: exchanged.current,
      previous: null,
      farmers: 2,
    });
    await other.get('/subscriptions/receipt');
    for (const reference of ['acme-3', 'acme-4']) expect(other.page.html).toContain(reference);
    const visitor = await farmers.verified();
    expect(ticked(visitor)).toEqual(['42-1']);
    expect(await verifyConsents(desk.store, 'acme')).toMatchObject({ ok: true });
  },
);

test('a farmer is erased: revoked first, then forgotten, and only that farmer', async () => {
  const visitor = await share(PHONE, '42-1', '42-2');
  await share(OTHER_PHONE, '42-9');
  const id = await farmerIdOf(desk.store, PHONE);
  const erase = (...options: string[]) =>
    desk.gdx(['farmer', 'erase', '(701) 555-0142', '--reason', 'letter of 1 November', ...options]);

  const preview = (await erase('--dry-run', '--json')).json();
  expect(preview).toMatchObject({ dry_run: true, granted: 2, subscriptions: 2, links: 1 });
  expect(await shared()).toEqual(['42-1', '42-2', '42-9']);

  const untold = () => farmerNotices(desk.store).find({ _id: id }).toArray();
  expect(await untold()).toMatchObject([{ begun: [] }]);
  const run = await erase('--json');
  expect(run.json()).toEqual({
    ...{ revoked: 2, subscriptions: 2, sessions: 1, codes: 0, links: 1 },
    left: {
      ledger_entries: 2,
      accounts: ['42-1', '42-2'].map((account) => ({ account, company: 'Prairie Co-op' })),
    },
  });
  expect([await shared(), await untold()]).toEqual([['42-9'], [{ _id: id, erased: true }]]);
  expect(await desk.signals('acme')).toContain('subscriptionsChanged');
  await visitor.get('/subscriptions/accounts');
  expect(textOf(visitor.page.html)).not.toContain('Meyer Farms');

  // The ledger holds and says that it was revoked; nothing leads from the phone to it.
  const entries = await listConsents(desk.store, { channel: 'acme', partner_id: 'policy-1', farmer: id });
  expect(entries.map(({ act }) => act)).toEqual(['grant', 'grant', 'revoke', 'revoke']);
  expect(await verifyConsents(desk.store, 'acme')).toMatchObject({ ok: true });
  const kept = await Promise.all((await desk.store.db.collections()).map((one) => one.find().toArray()));
  const text = JSON.stringify(kept.flat().filter((one) => !('wire' in one)));
  for (const trace of [PHONE, 'phone_ending":"42"']) expect(text).not.toContain(trace);

  const again = await erase();
  expect([again.exitCode, again.stderr]).toEqual([
    0,
    expect.stringMatching(/^Nothing is left to erase\.\n.*ask each to remove it in its ERP/),
  ]);
  expect(await farmerIdOf(desk.store, PHONE)).not.toBe(id);
  await share(PHONE, '42-1'); // as anybody who comes for the first time
  expect(await shared()).toEqual(['42-1', '42-9']);
});

slowTest('that one channel of several was not signalled is said, whichever it was', async () => {
  await share(PHONE, '42-1');
  await addTestChannel(desk.store, 'bank', 'https://bank.example', { scope: 'subscribed' });
  const farmer = await farmerIdOf(desk.store, PHONE);
  const key = { channel: 'bank', partner_id: 'loan-1', farmer, account: '42-1' };
  await grantAccounts(desk.store, (await findChannel(desk.store, 'bank'))!, [key]);
  let asked = 0;
  const subscriptionsChanged = async () => ++asked > 1;
  const temporal = { ...hearingSignals().temporal, subscriptionsChanged };
  const why = { reason: 'letter', request_id: 'test' };
  const erased = await eraseFarmer({ store: desk.store, temporal }, PHONE, why);
  expect([asked, erased]).toEqual([2, expect.objectContaining({ revoked: 2, signalled: false })]);
});

test('an erasure that was cut off is finished by the next', async () => {
  await share(PHONE, '42-1', '42-2');
  const { temporal } = hearingSignals();
  const why = { reason: 'letter', request_id: 'test' };
  const store = rewire(desk.store, async ({ collection, method, run }) => {
    if (collection === 'subscriptions' && method === 'deleteMany') throw new Error('cut off');
    return run();
  });
  await expect(eraseFarmer({ store, temporal }, PHONE, why)).rejects.toThrow('cut off');
  const erased = await eraseFarmer({ store: desk.store, temporal }, PHONE, why);
  expect(erased).toMatchObject({ revoked: 0, subscriptions: 2, links: 1 });
});
