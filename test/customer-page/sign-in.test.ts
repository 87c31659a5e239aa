import { ROUTES } from '../../api/routes';
import { revokeKey, rotateKey } from '../../store/access/channel-keys';
import { lastUses } from '../../store/access/token-use';
import { hashToken, newToken } from '../../store/access/tokens';
import { findChannel } from '../../store/feed/channels';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { holdForm } from '../setup/hold-form';
import { startOps, type Ops } from '../ops/start-ops';
import { tryKey } from './customer-browser';
import { slowTest } from '../setup/cases';

let ops: Ops;
let slug: string;
let key: string;
let run = 0;

beforeAll(async () => void (ops = await startOps()));
afterAll(() => ops.stop());
beforeEach(async () => {
  await ops.store.db.collection('attempt_counts').deleteMany({});
  slug = `acme-${++run}`;
  key = (await addTestChannel(ops.store, slug, 'https://acme.example')).apiKey;
});

const sessions = () => ops.store.db.collection('customer_sessions');
const OWN = ROUTES.filter(({ caller }) => caller === 'customer').map(
  ({ method, path }) => [method, path] as const,
);

test('a key opens its own channel and no other, and is nowhere to be found', async () => {
  await addTestChannel(ops.store, `other-${run}`, 'https://other.example', { name: 'Other Mutual' });
  const { page, cookies } = await tryKey(ops, `  ${key} `);
  expect([page.status, page.path]).toEqual([200, '/customer']);
  expect(page.html).toContain(slug);
  expect(page.html).not.toMatch(/Other Mutual|other-\d/);
  const stored = JSON.stringify([await sessions().find().toArray(), ops.lines]);
  for (const secret of [key, ...cookies.values()]) expect(stored).not.toContain(secret);
});

test.each([false, true])('the cookie in production: %s', async (production) => {
  const other = await startOps({ ops: { production } });
  const { apiKey } = await addTestChannel(other.store, slug, 'https://acme.example');
  const browser = other.browser();
  const kept: string[] = [];
  browser.onCookie = (set) => kept.push(set);
  await browser.get('/customer/sign-in');
  await browser.submit('/customer/sign-in', { token: apiKey });
  await other.stop();
  const flags = `; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict${production ? '; Secure' : ''}`;
  const names = kept.map((set) => set.replace(/=[\w-]{43};/, ';').replace(flags, ''));
  const prefix = production ? '__Host-' : '';
  expect(names).toEqual([`${prefix}gdx-customer-form`, `${prefix}gdx-customer`]);
});

test.each([
  ['empty', () => ''],
  ['of nobody', () => newToken('channel', {})],
  ['with a typing error', () => `${key.slice(0, -1)}~`],
  ['of an ERP', () => newToken('erp', {})],
  ['of an operator', () => ops.token],
])('a key %s opens nothing and is not repeated', async (_, token) => {
  const { page, cookies } = await tryKey(ops, token());
  expect([page.status, [...cookies.keys()]]).toEqual([422, ['gdx-customer-form']]);
  expect(page.html).toContain('This key opens no channel');
  if (token()) expect(page.html).not.toContain(token());
});

test.each<[string, object]>([
  ['that has expired', { expires_at: new Date() }],
  ['tried from an address that it is not bound to', { addresses: ['192.0.2.0/24'] }],
])('a key %s opens no session, and looks like one of nobody', async (_, access) => {
  await setAccess(access);
  const { page, cookies } = await tryKey(ops, key);
  expect([page.status, [...cookies.keys()]]).toEqual([422, ['gdx-customer-form']]);
  expect(page.html).toContain('This key opens no channel');
  expect((await lastUses(ops.store, [hashToken(key)])).newest).toBeNull();
});

test('signing in is a use of the key', async () => {
  await tryKey(ops, key);
  const lastUse = async () => (await lastUses(ops.store, [hashToken(key)])).newest;
  await eventually(async () => expect(await lastUse()).toEqual(expect.any(Date)), 20_000);
});

slowTest('guesses are counted by address, right keys are not', async () => {
  for (let time = 0; time < 11; time++) expect((await tryKey(ops, key)).page.status).toBe(200);
  for (let time = 0; time < 10; time++) expect((await tryKey(ops, 'guess')).page.status).toBe(422);
  const { page } = await tryKey(ops, 'guess');
  expect([page.status, page.html.includes('Wait 10 minutes')]).toEqual([429, true]);
  expect(page.html).not.toContain('gdx</code>');
  expect(Number(page.headers['retry-after'])).toBeGreaterThan(500);
});

test('the table has routes for customers', () => expect(OWN).toHaveLength(10));

test.each(OWN)('%s %s asks for the key, without a session of a customer', async (method, path) => {
  for (const browser of [ops.browser(), await ops.signedIn()]) {
    const page = await browser.follow(method, path, method === 'POST' ? 'reason=x' : null);
    expect([page.status, page.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(page.html).not.toContain('Acme Crop Insurance');
  }
});

test('a customer’s session opens nothing of the operators', async () => {
  const browser = await tryKey(ops, key);
  for (const path of ['/ops', `/ops/channels/${slug}`]) expect((await browser.get(path)).status).toBe(401);
  const cookie = browser.cookies.get('gdx-customer')!;
  browser.cookies.set('gdx-ops', cookie);
  expect((await browser.get('/ops')).status).toBe(401);
});

const setAccess = (access: object) =>
  ops.store.db
    .collection<{ _id: string }>('channels')
    .updateOne({ _id: slug }, { $set: { key_access: access } });

test.each<[string, () => Promise<unknown>]>([
  ['after its end', () => sessions().updateMany({ channel: slug }, { $set: { expires_at: new Date() } })],
  ['after eight hours', () => sessions().updateMany({ channel: slug }, { $set: { ends_at: new Date() } })],
  ['of a key that was revoked', () => revokeKey(ops.store, slug, 'all')],
  ['of a key that was exchanged at once', () => rotateKey(ops.store, slug, 0)],
  ['of a key that has expired', () => setAccess({ expires_at: new Date() })],
  ['from an address that the key is not bound to', () => setAccess({ addresses: ['192.0.2.0/24'] })],
])('a session %s opens nothing', async (_, end) => {
  const browser = await tryKey(ops, key);
  expect((await browser.get('/customer')).status).toBe(200);
  await end();
  expect((await browser.get('/customer')).status).toBe(401);
});

test('a session outlives an exchange of its key as long as the key does', async () => {
  const browser = await tryKey(ops, key);
  await rotateKey(ops.store, slug, 60_000);
  expect((await browser.get('/customer')).status).toBe(200);
  await revokeKey(ops.store, slug, 'old');
  expect((await browser.get('/customer')).status).toBe(401);
});

test('a form that is still on its way when the key is revoked does nothing', async () => {
  const browser = await tryKey(ops, key);
  const { html } = await browser.get('/customer/rotate-secret');
  const valueOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!;
  const before = (await findChannel(ops.store, slug))!.signing_secrets;
  const sendRest = await holdForm(ops.port, '/customer/rotate-secret', {
    cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
    form: { csrf: valueOf('csrf'), form: valueOf('form'), reason: 'on my way out' },
  });
  await revokeKey(ops.store, slug, 'all');
  expect(await sendRest()).toMatch(/^HTTP\/1\.1 401 /);
  expect((await findChannel(ops.store, slug))!.signing_secrets).toEqual(before);
});

test('signing out ends the session, for whoever kept the cookie too', async () => {
  const browser = await tryKey(ops, key);
  const thief = browser.twin();
  await browser.submit('/customer/sign-out');
  expect([browser.page.path, browser.cookies.has('gdx-customer')]).toEqual(['/customer/sign-in', false]);
  expect((await thief.get('/customer')).status).toBe(401);
});

test('a key in an address or a header is no session', async () => {
  expect((await ops.browser().get(`/customer?token=${key}`)).status).toBe(401);
  expect((await ops.ask('GET', '/customer', { token: key })).status).toBe(401);
});

test('the headers let no page of ours be framed, kept or scripted', async () => {
  const { page } = await tryKey(ops, key);
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
});
