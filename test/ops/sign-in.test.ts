import { ROUTES } from '../../api/routes';
import { findChannel } from '../../store/feed/channels';
import { addOperator, removeOperator } from '../../store/access/operators';
import { newToken } from '../../store/access/tokens';
import { addTestChannel } from '../setup/add-test-channel';
import { holdForm } from '../setup/hold-form';
import { tryKey } from '../customer-page/customer-browser';
import { startApi } from '../api/start-api';
import { OpsBrowser } from './ops-browser';
import { startOps, type Ops } from './start-ops';
import { slowTest } from '../setup/cases';

let ops: Ops;
let channelKey: string;

beforeAll(async () => {
  ops = await startOps();
  channelKey = (await addTestChannel(ops.store, 'acme', 'https://acme.example')).apiKey;
});
afterAll(() => ops.stop());
beforeEach(() => ops.store.db.collection('attempt_counts').deleteMany({}));

const OPS_ROUTES = ROUTES.filter(({ caller }) => caller === 'operator').map(
  ({ method, path }) => [method, path.replace(':channel_slug', 'acme')] as const,
);

async function tryToken(token: string, fields: Record<string, string> = {}): Promise<OpsBrowser> {
  const browser = ops.browser();
  await browser.get('/ops/sign-in');
  await browser.submit('/ops/sign-in', { token, ...fields });
  return browser;
}

const sessions = () => ops.store.db.collection<{ _id: string; operator: string }>('operator_sessions');

test('the table has routes for operators', () => expect(OPS_ROUTES.length).toBeGreaterThan(7));

test('a token opens a session, and is nowhere to be found', async () => {
  const browser = await tryToken(`  ${ops.token} `);
  expect([browser.page.status, browser.page.path]).toEqual([200, '/ops']);
  expect(browser.page.html).toContain('Maria Lopez');
  const stored = JSON.stringify([
    await sessions().find().toArray(),
    await ops.store.db.collection('operators').find().toArray(),
    ops.lines,
  ]);
  for (const secret of [ops.token, ...browser.cookies.values()]) expect(stored).not.toContain(secret);
});

test.each([false, true])('the cookie in production: %s', async (production) => {
  const other = await startOps({ ops: { production } });
  const browser = other.browser();
  await browser.get('/ops/sign-in');
  const form = String(browser.page.headers['set-cookie']);
  const kept: string[] = [];
  browser.onCookie = (set) => kept.push(set);
  await browser.submit('/ops/sign-in', { token: other.token });
  await other.stop();
  const prefix = production ? '__Host-' : '';
  for (const [cookie, name] of [
    [form, 'gdx-ops-form'],
    [kept.join(), 'gdx-ops'],
  ] as const) {
    expect(cookie).toMatch(new RegExp(`^${prefix}${name}=[\\w-]{43}; `));
    expect(cookie.endsWith(`; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict${production ? '; Secure' : ''}`)).toBe(true); // prettier-ignore
  }
});

test.each([
  ['empty', () => ''],
  ['of nobody', () => newToken('operator', {})],
  ['with a typing error', () => `${ops.token.slice(0, -1)}~`],
  ['of an ERP', () => newToken('erp', {})],
  ['of a channel', () => channelKey],
])('a token %s opens nothing and is not repeated', async (_, token) => {
  const { page, cookies } = await tryToken(token());
  expect([page.status, [...cookies.keys()]]).toEqual([422, ['gdx-ops-form']]);
  expect(page.html).toContain('This is no operator’s token');
  if (token()) expect(page.html).not.toContain(token());
});

slowTest('guesses are counted by address, right tokens are not', async () => {
  for (let time = 0; time < 12; time++) expect((await tryToken(ops.token)).page.status).toBe(200);
  for (let time = 0; time < 10; time++) expect((await tryToken('guess')).page.status).toBe(422);
  const { page } = await tryToken('guess');
  expect([page.status, page.html.includes('Wait 10 minutes')]).toEqual([429, true]);
  expect(Number(page.headers['retry-after'])).toBeGreaterThan(500);
  expect((await tryKey(ops, channelKey)).page.status).toBe(200); // the customers’ door counts for itself
});

test('an address has so many pages a minute of both doors', async () => {
  const strict = await startApi({ limits: { visitsPerMinute: 2 } });
  const statuses = [];
  for (const path of ['/ops/sign-in', '/customer/sign-in', '/ops', '/customer'])
    statuses.push((await strict.ask('GET', path)).status);
  await strict.stop();
  expect(statuses).toEqual([200, 200, 429, 429]);
});

test.each(OPS_ROUTES)('%s %s asks for the token, without a session', async (method, path) => {
  const browser = ops.browser();
  const page = await browser.follow(method, path, method === 'POST' ? 'reason=x' : null);
  expect([page.status, page.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
  expect(page.html).not.toContain('Acme Crop Insurance');
});

test.each([
  ['after its end', (id: string) => sessions().updateOne({ operator: id }, { $set: { expires_at: new Date() } })], // prettier-ignore
  ['of somebody removed', () => removeOperator(ops.store, 'Ann')],
  [
    'of somebody removed and added again',
    async () => {
      await removeOperator(ops.store, 'Ann');
      await addOperator(ops.store, 'Ann', 'operate');
    },
  ],
])('a session %s opens nothing', async (_, end) => {
  await removeOperator(ops.store, 'Ann');
  const { token, operator } = await addOperator(ops.store, 'Ann', 'operate');
  const browser = await tryToken(token);
  expect((await browser.get('/ops')).status).toBe(200);
  await end(operator._id);
  expect((await browser.get('/ops')).status).toBe(401);
});

test('a form that is still on its way when its operator is removed does nothing', async () => {
  await removeOperator(ops.store, 'Ann');
  const browser = await tryToken((await addOperator(ops.store, 'Ann', 'operate')).token);
  const { html } = await browser.get('/ops/channels/acme');
  const valueOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!;
  const sendRest = await holdForm(ops.port, '/ops/channels/acme/pause', {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    form: { csrf: valueOf('csrf'), form: valueOf('form'), reason: 'on my way out' },
  });
  await removeOperator(ops.store, 'Ann');
  expect(await sendRest()).toMatch(/^HTTP\/1\.1 401 /);
  expect((await findChannel(ops.store, 'acme'))!.state).toBe('active');
});

test('signing out ends the session, for whoever kept the cookie too', async () => {
  const browser = await tryToken(ops.token);
  const thief = browser.twin();
  await browser.submit('/ops/sign-out');
  expect([browser.page.path, browser.cookies.has('gdx-ops')]).toEqual(['/ops/sign-in', false]);
  expect((await thief.get('/ops')).status).toBe(401);
});

test('a token in an address is no token', async () => {
  const page = await ops.browser().get(`/ops?token=${ops.token}`);
  expect(page.status).toBe(401);
  const asKey = await ops.ask('GET', '/ops', { token: ops.token });
  expect(asKey.status).toBe(401);
});

test('a session is asked for in place of the page, which comes after it', async () => {
  const browser = ops.browser();
  await browser.get('/ops/channels/acme?status=failed');
  expect(browser.page.html).toContain('<a href="/ops/channels/acme">open the page again</a>');
  await browser.submit('/ops/sign-in', { token: ops.token });
  expect(browser.page.path).toBe('/ops/channels/acme');
  const late = ops.browser(); // its session has ended over a form, whose address has no page
  await late.follow('POST', '/ops/channels/acme/pause', 'reason=x');
  expect(late.page.html).toContain('<a href="/ops/channels/acme">open the page again</a>');
});

test.each(['https://evil.example', '//evil.example', '/ops/../livez', '/ops//evil.example', '/opsx', ''])(
  'nobody is sent on to %j',
  async (to) => expect((await tryToken(ops.token, { to })).page.path).toBe('/ops'),
);
