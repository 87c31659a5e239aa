import { isOn, type Side } from '../../api/create-app';
import { ROUTES } from '../../api/routes';
import { channelKeys, findChannel } from '../../store/channels/channels';
import { addOperator, removeOperator } from '../../store/callers/operators';
import { lastUses } from '../../store/callers/token-use';
import { hashToken, newToken } from '../../store/callers/tokens';
import { setOperatorAccess } from '../../store/channels/set-access';
import { startApi } from '../api/start-api';
import { addTestChannel } from '../setup/add-test-channel';
import { slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { holdForm } from '../setup/hold-form';
import type { OpsBrowser } from './ops-browser';
import { startOps, type Ops } from './start-ops';

let ops: Ops;
let slug: string;
/** The key of the channel. */
let key: string;
let run = 0;

beforeAll(async () => void (ops = await startOps()));
beforeEach(async () => {
  await ops.store.db.collection('attempt_counts').deleteMany({});
  slug = `acme-${++run}`;
  key = (await addTestChannel(ops.store, slug, 'https://acme.example')).apiKey;
});

type Door = '/ops' | '/customer';

async function tryAt(door: Door, token: string, fields: Record<string, string> = {}): Promise<OpsBrowser> {
  const browser = ops.browser();
  await browser.get(`${door}/sign-in`);
  await browser.submit(`${door}/sign-in`, { token, ...fields });
  return browser;
}

/** Holds a form of a page that is signed in, until `end` has ended the session. @returns its answer */
async function sendAsItEnds(browser: OpsBrowser, from: string, to: string, end: () => Promise<unknown>) {
  const { html } = await browser.get(from);
  const valueOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!;
  const sendRest = await holdForm(ops, to, {
    cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
    form: { csrf: valueOf('csrf'), form: valueOf('form'), reason: 'on my way out' },
  });
  await end();
  return sendRest();
}

const sessionsOf = (door: Door) =>
  ops.store.db.collection<{ _id: string }>(door === '/ops' ? 'operator_sessions' : 'customer_sessions');

test('operators’ pages are on their own listener, where there is one, and nothing else is', () => {
  const on = (side: Side) => ROUTES.filter((route) => isOn(side, route)).map(({ path }) => path);
  expect(on('public').filter((path) => path.startsWith('/ops'))).toEqual([]);
  expect(on('operators').filter((path) => !path.startsWith('/ops'))).toEqual([]);
  expect(on('public').length + on('operators').length).toBe(ROUTES.length);
});

test('an operator’s token is bound to a time and to addresses, as an ERP’s is', async () => {
  const { token } = await addOperator(ops.store, 'Bound', 'read');
  const open = async () => (await tryAt('/ops', token)).page.status;
  const signedIn = await tryAt('/ops', token);
  for (const access of [{ expires_at: new Date(0) }, { expires_at: null, addresses: ['203.0.113.0/24'] }]) {
    expect(await open()).toBe(200);
    await setOperatorAccess(ops.store, 'Bound', access);
    expect([await open(), (await signedIn.twin().get('/ops')).status]).toEqual([422, 401]);
    await setOperatorAccess(ops.store, 'Bound', { expires_at: null, addresses: [] });
  }
  await eventually(async () => expect((await lastUses(ops.store, [hashToken(token)])).newest).not.toBeNull());
});

describe.each<[Door, string, () => string, () => string, RegExp]>([
  ['/ops', 'operator', () => ops.token, () => key, /This is not an operator’s token/],
  ['/customer', 'customer', () => key, () => ops.token, /This key opens no channel/],
])('sign-in at %s', (door, caller, right, ofOthers, refusal) => {
  const cookieName = door === '/ops' ? 'gdx-ops' : 'gdx-customer';
  const tryToken = (token: string, fields?: Record<string, string>) => tryAt(door, token, fields);
  const routes = ROUTES.filter((route) => route.caller === caller).map(
    ({ method, path }) => [method, path.replace(':channel_slug', 'acme-1')] as const,
  );

  test('the table has its routes', () => expect(routes.length).toBeGreaterThan(7));

  test('a token opens a session, and is nowhere to be found', async () => {
    const { page, cookies } = await tryToken(`  ${right()} `);
    expect([page.status, page.path]).toEqual([200, door]);
    const collections = await ops.store.db.collections();
    const stored = JSON.stringify([
      ...(await Promise.all(collections.map((one) => one.find().toArray()))),
      ops.lines,
    ]);
    for (const secret of [right(), ...cookies.values()]) expect(stored).not.toContain(secret);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; /,
    );
  });

  test.each([
    ['empty', () => ''],
    ['of nobody', () => newToken(door === '/ops' ? 'operator' : 'channel', {})],
    ['with a typing error', () => `${right().slice(0, -1)}~`],
    ['of an ERP', () => newToken('erp', {})],
    ['of the other door', () => ofOthers()],
  ])('a token %s opens nothing and is not repeated', async (_, token) => {
    const { page, cookies } = await tryToken(token());
    expect([page.status, [...cookies.keys()]]).toEqual([422, [`${cookieName}-form`]]);
    expect(page.html).toMatch(refusal);
    if (token()) expect(page.html).not.toContain(token());
  });

  slowTest('guesses are counted by address and door, right tokens are not', async () => {
    for (let time = 0; time < 12; time++) expect((await tryToken(right())).page.status).toBe(200);
    for (let time = 0; time < 10; time++) expect((await tryToken('guess')).page.status).toBe(422);
    const { page } = await tryToken('guess');
    expect([page.status, page.html.includes('Wait 10 minutes')]).toEqual([429, true]);
    if (door === '/customer') expect(page.html).not.toContain('gdx</code>');
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(500);
    const other = door === '/ops' ? '/customer' : '/ops';
    expect((await tryAt(other, ofOthers())).page.status).toBe(200);
  });

  test.each(routes)('%s %s asks for the token, without a session', async (method, path) => {
    const stranger = door === '/ops' ? tryAt('/customer', key) : ops.signedIn();
    for (const browser of [ops.browser(), await stranger]) {
      const page = await browser.follow(method, path, method === 'POST' ? 'reason=x' : null);
      expect([page.status, page.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect(page.html).not.toContain('Acme Crop Insurance');
    }
  });

  test('signing out ends the session, for whoever kept the cookie too', async () => {
    const browser = await tryToken(right());
    const thief = browser.twin();
    const set: string[] = [];
    browser.onCookie = (cookie) => set.push(cookie);
    await browser.submit(`${door}/sign-out`);
    expect(set.filter((cookie) => cookie.startsWith(`${cookieName}=;`))).toEqual([
      expect.stringContaining('; Max-Age=0;'), // the browser forgets it
    ]);
    expect([browser.page.path, browser.cookies.has(cookieName)]).toEqual([`${door}/sign-in`, false]);
    expect((await thief.get(door)).status).toBe(401);
  });

  test('a token in an address or a header is no session', async () => {
    expect((await ops.browser().get(`${door}?token=${right()}`)).status).toBe(401);
    expect((await ops.ask('GET', door, { token: right() })).status).toBe(401);
  });
});

test('an address has so many pages a minute of both doors', async () => {
  const strict = await startApi({ store: ops.store, limits: { visitsPerMinute: 2 } });
  const statuses = [];
  for (const path of ['/ops/sign-in', '/customer/sign-in', '/ops', '/customer'])
    statuses.push((await strict.ask('GET', path)).status);
  await strict.stop();
  expect(statuses).toEqual([200, 200, 429, 429]);
});

describe('an operator', () => {
  const addAnn = async () => {
    await removeOperator(ops.store, 'Ann');
    return addOperator(ops.store, 'Ann', 'operate');
  };

  test.each([
    ['after its end', (operator: string) => sessionsOf('/ops').updateOne({ operator } as object, { $set: { expires_at: new Date() } })], // prettier-ignore
    ['of somebody removed', () => removeOperator(ops.store, 'Ann')],
    ['of somebody removed and added again', () => addAnn()],
  ])('a session %s opens nothing', async (_, end) => {
    const { token, operator } = await addAnn();
    const browser = await tryAt('/ops', token);
    expect((await browser.get('/ops')).status).toBe(200);
    await end(operator._id);
    expect((await browser.get('/ops')).status).toBe(401);
  });

  test('a form that is still on its way when its operator is removed does nothing', async () => {
    const browser = await tryAt('/ops', (await addAnn()).token);
    const channel = `/ops/channels/${slug}`;
    const remove = () => removeOperator(ops.store, 'Ann');
    expect(await sendAsItEnds(browser, channel, `${channel}/pause`, remove)).toMatch(/^HTTP\/1\.1 303 /);
    expect((await browser.get(channel)).status).toBe(401);
    expect((await findChannel(ops.store, slug))!.state).toBe('active');
  });

  test('a session is asked for in place of the page, which comes after it', async () => {
    const browser = ops.browser();
    const channel = `/ops/channels/${slug}`;
    const again = `<a href="${channel}">open the page again</a>`;
    await browser.get(`${channel}?status=failed`);
    expect(browser.page.html).not.toContain(again);
    await browser.follow('GET', `${channel}?status=failed`, '', { 'sec-fetch-site': 'cross-site' });
    expect(browser.page.html).toContain(again); // by a link, with which the browser sends no session
    await browser.submit('/ops/sign-in', { token: ops.token });
    expect(browser.page.path).toBe(channel);
  });

  test.each(['https://evil.example', '//evil.example', '/ops/../livez', '/ops//evil.example', '/opsx', ''])(
    'nobody is sent on to %j',
    async (to) => expect((await tryAt('/ops', ops.token, { to })).page.path).toBe('/ops'),
  );
});

describe('a customer', () => {
  const keyUses = async () => (await lastUses(ops.store, [hashToken(key)])).newest;
  const bind = (key_access: object) =>
    ops.store.db.collection<{ _id: string }>('channels').updateOne({ _id: slug }, { $set: { key_access } });
  const endSessions = (ends: object) => sessionsOf('/customer').updateMany({ channel: slug } as object, { $set: ends }); // prettier-ignore

  test('a key opens its own channel and no other', async () => {
    await addTestChannel(ops.store, `other-${run}`, 'https://other.example', { name: 'Other Mutual' });
    const { page } = await tryAt('/customer', key);
    expect(page.html).toContain(slug);
    expect(page.html).not.toMatch(/Other Mutual|other-\d/);
  });

  test.each<[string, object]>([
    ['that has expired', { expires_at: new Date() }],
    ['tried from an address that it is not bound to', { addresses: ['192.0.2.0/24'] }],
  ])('a key %s opens no session, and looks like one of nobody', async (_, access) => {
    await bind(access);
    const { page, cookies } = await tryAt('/customer', key);
    expect([page.status, [...cookies.keys()]]).toEqual([422, ['gdx-customer-form']]);
    expect(page.html).toContain('This key opens no channel');
    expect(await keyUses()).toBeNull();
  });

  test('signing in is a use of the key', async () => {
    await tryAt('/customer', key);
    await eventually(async () => expect(await keyUses()).toEqual(expect.any(Date)), 20_000);
  });

  test('a session opens nothing of the operators', async () => {
    const browser = await tryAt('/customer', key);
    for (const path of ['/ops', `/ops/channels/${slug}`]) expect((await browser.get(path)).status).toBe(401);
    browser.cookies.set('gdx-ops', browser.cookies.get('gdx-customer')!);
    expect((await browser.get('/ops')).status).toBe(401);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['after its end', () => endSessions({ expires_at: new Date() })],
    ['after eight hours', () => endSessions({ ends_at: new Date() })],
    ['of a key that was revoked', () => channelKeys.revoke(ops.store, slug, 'all')],
    ['of a key that was exchanged at once', () => channelKeys.rotate(ops.store, slug, 0)],
    ['of a key that has expired', () => bind({ expires_at: new Date() })],
    ['from an address that the key is not bound to', () => bind({ addresses: ['192.0.2.0/24'] })],
  ])('a session %s opens nothing', async (_, end) => {
    const browser = await tryAt('/customer', key);
    expect((await browser.get('/customer')).status).toBe(200);
    await end();
    expect((await browser.get('/customer')).status).toBe(401);
  });

  test('a session outlives an exchange of its key as long as the key does', async () => {
    const browser = await tryAt('/customer', key);
    await channelKeys.rotate(ops.store, slug, 60_000);
    expect((await browser.get('/customer')).status).toBe(200);
    await channelKeys.revoke(ops.store, slug, 'old');
    expect((await browser.get('/customer')).status).toBe(401);
  });

  test('a form that is still on its way when the key is revoked does nothing', async () => {
    const browser = await tryAt('/customer', key);
    const before = (await findChannel(ops.store, slug))!.signing_secrets;
    const path = '/customer/rotate-secret';
    const revoke = () => channelKeys.revoke(ops.store, slug, 'all');
    expect(await sendAsItEnds(browser, path, path, revoke)).toMatch(/^HTTP\/1\.1 303 /);
    expect((await browser.get(path)).status).toBe(401);
    expect((await findChannel(ops.store, slug))!.signing_secrets).toEqual(before);
  });
});

// The last: each begins anew.
test.each<[Door, boolean]>([
  ['/ops', false],
  ['/ops', true],
  ['/customer', false],
  ['/customer', true],
])('the cookies of %s in production: %s', async (door, production) => {
  ops = await startOps({ ops: { production } });
  const { apiKey } = await addTestChannel(ops.store, 'acme', 'https://acme.example');
  const browser = ops.browser();
  const kept: string[] = [];
  browser.onCookie = (set) => kept.push(set);
  await browser.get(`${door}/sign-in`);
  await browser.submit(`${door}/sign-in`, { token: door === '/ops' ? ops.token : apiKey });
  const flags = `; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict${production ? '; Secure' : ''}`;
  const name = `${production ? '__Host-' : ''}gdx${door.replace('/', '-')}`;
  expect(kept.map((set) => set.replace(/=[\w-]{43}; /, '=; '))).toEqual([
    `${name}-form=${flags}`,
    `${name}=${flags}`,
  ]);
});
