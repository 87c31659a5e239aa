import { listGranted } from '../../store/sharing/subscriptions';
import { accountsOf, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';
import { slowTest } from '../setup/cases';
import { rowsIn, textOf, type Visitor } from './visitor';

const MANY = '7015550250';

let farmers: Farmers;
let visitor: Visitor;

beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(MANY, 250));
  await pushAccounts(farmers, [{ id: 'Z', name: 'Zúñiga Ranch', phones: [{ phone: MANY }] }]);
  await pushAccounts(farmers, accountsOf(PHONE, 15, 1000));
});
afterAll(() => farmers.stop());
beforeEach(async () => {
  visitor = await farmers.verified({ phone: MANY });
});

const ticked = () =>
  rowsIn(visitor.page.html)
    .filter((row) => row.ticked)
    .map(({ id }) => id);

test('up to 15 there is nothing to search', async () => {
  visitor = await farmers.verified();
  expect(rowsIn(visitor.page.html)).toHaveLength(15);
  expect(visitor.page.html).not.toContain('type="search"');
});

test('200 on a page, the rest is found by searching, without accents too', async () => {
  expect(rowsIn(visitor.page.html)).toHaveLength(200);
  expect(textOf(visitor.page.html)).toContain('Showing 200 of 251 accounts');
  await visitor.submit({ search: 'zuniga prairie', do: 'search' });
  expect(rowsIn(visitor.page.html).map(({ id }) => id)).toEqual(['42-Z']);
  await visitor.submit({ search: 'nothing of the kind', do: 'search' });
  expect(textOf(visitor.page.html)).toContain('No account matches');
  await visitor.submit({ do: 'show-all' });
  expect(rowsIn(visitor.page.html)).toHaveLength(200);
});

test('a search that was made while there were more can still be seen and ended', async () => {
  const phone = '7015550216';
  await pushAccounts(farmers, accountsOf(phone, 16, 2000));
  visitor = await farmers.verified({ phone });
  await visitor.submit({ account: ['42-2000'], search: 'Farms 2015', do: 'search' });
  await pushAccounts(farmers, [{ ...accountsOf(phone, 1, 2015)[0]!, phones: [] }]);
  await visitor.get('/subscriptions/accounts');
  expect([rowsIn(visitor.page.html), textOf(visitor.page.html)]).toEqual([
    [],
    expect.stringContaining('No account matches'),
  ]);
  expect(visitor.page.html).toContain('type="search"');
  await visitor.submit({ do: 'show-all' });
  expect([rowsIn(visitor.page.html).length, ticked()]).toEqual([15, ['42-2000']]);
});

slowTest('what was ticked stays ticked over searches, pages in the other language, and Return', async () => {
  await visitor.submit({ account: ['42-1'], search: 'Farms 25', do: 'search' });
  expect(ticked()).toEqual([]);
  await visitor.submit({ account: ['42-25', '42-250'], search: 'zuniga' });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
  await visitor.submit({ account: ['42-Z'], language: 'es' });
  expect(visitor.page.html).toContain('<html lang="es">');
  expect(ticked()).toEqual(['42-Z']);
  expect(textOf(visitor.page.html)).toContain('4 cuentas marcadas');
  await visitor.submit({ do: 'continue' });
  expect(textOf(visitor.page.html)).toContain('Usted compartirá 4 cuentas');
});

test('a page that was opened before a search in another tab is read by what it shows itself', async () => {
  await visitor.submit({ account: ['42-1', '42-2'], search: '', do: 'search' });
  const older = visitor.twin();
  await visitor.submit({ search: 'zuniga', do: 'search' });
  await older.submit({ account: ['42-1'], do: 'continue' });
  expect(textOf(older.page.html)).toContain('You will share 1 account');
});

slowTest('tick and untick all that are shown', async () => {
  await visitor.submit({ search: 'Farms 24', do: 'search' });
  await visitor.submit({ do: 'tick' });
  expect(ticked()).toHaveLength(13);
  await visitor.submit({ search: 'Farms 240', do: 'search', account: ticked() });
  await visitor.submit({ do: 'untick' });
  expect(textOf(visitor.page.html)).toContain('12 accounts ticked');
  await visitor.submit({ do: 'continue' });
  await visitor.submit({ do: 'save' });
  expect(await listGranted(farmers.store, 'acme')).toHaveLength(12);
  const session = await farmers.store.db.collection('sessions').findOne({}, { sort: { expires_at: -1 } });
  const declined = await farmers.store.db.collection('consents').countDocuments({ act: 'refusal' });
  expect(declined).toBe(session?.['seen'].length - 12);
});
