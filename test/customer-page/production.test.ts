import { findChannel } from '../../store/channels/channels';
import { startOps, type Ops } from '../ops/start-ops';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { grantAccounts } from '../setup/share-accounts';
import { tryKey } from './customer-browser';

let ops: Ops;
beforeEach(async () => {
  ops = await startOps({ store: await emptyStore() });
  const load = { crop_year: 2026, commodity: 'corn', net_weight: 100, weight_uom: 'lb' };
  await pushRecords(ops.store, {
    tickets: [
      { id: 'T-1', account_id: '1001', ticket_number: 'N-17', ...load },
      { id: 'T-2', account_id: '1002', ...load },
    ],
  });
});

const of = (account: string, format = 'csv') =>
  `?${new URLSearchParams({ account, crop_year: '2026', format })}`;

test('a customer without a program has the production record of an account from its page, and nothing of any other', async () => {
  const { apiKey } = await addTestChannel(ops.store, 'acme', 'https://acme.example', { scope: 'subscribed' });
  const key = { channel: 'acme', partner_id: 'P', farmer: 'f', account: '42-1001' };
  await grantAccounts(ops.store, (await findChannel(ops.store, 'acme'))!, [key]);
  await ops.store.db.collection('subscriptions').updateMany({}, { $set: { to_begin: [] } });
  const browser = await tryKey(ops, apiKey);
  expect((await browser.get('/customer')).html).toMatch(/<form[^>]* action="\/customer\/production"/);
  const table = await browser.get(`/customer/production${of('42-1001')}`);
  expect([table.status, table.headers['content-disposition']]).toEqual([
    200,
    'attachment; filename="production-2026.csv"',
  ]);
  expect(table.html).toMatch(/42-1001,2026,42-T-1,.*N-17/);
  expect((await browser.get(`/customer/production${of('42-1001', 'sums')}`)).html).toMatch(/corn,lb/);
  const hidden = await browser.get(`/customer/production${of('42-1002')}`);
  expect([hidden.status, hidden.html]).toEqual([404, expect.stringContaining('You get no such account')]);
  expect((await browser.get('/customer/production?account=42-1001&crop_year=x')).status).toBe(422);
});

test('a channel that gets no tickets is not offered one, nor is an operator, nor whoever is not signed in', async () => {
  const settings = { entity_types: ['accounts' as const] };
  const { apiKey } = await addTestChannel(ops.store, 'acme', 'https://acme.example', settings);
  expect((await (await tryKey(ops, apiKey)).get('/customer')).html).not.toContain('/customer/production');
  const stranger = await ops.browser().get(`/customer/production${of('42-1001')}`);
  expect([stranger.status, stranger.html]).toEqual([401, expect.not.stringContaining('42-T-1')]);
});
