import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'undici';
import { maskToken } from '../../api/pages/csrf';
import { ROUTES } from '../../api/routes';
import { addOperator, type Operator } from '../../store/callers/operators';
import { hashToken } from '../../store/callers/tokens';
import { findChannel } from '../../store/channels/channels';
import { openCustomerSession, openOperatorSession } from '../../store/sessions/page-sessions';
import {
  accountsOf,
  linkTo,
  openVerifiedSession,
  openVerifiedSharing,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from '../farmer/start-farmers';
import { csrfOf } from '../farmer/visitor';

const PEOPLE = ['visitor', 'farmer', 'sharer', 'signing-in', 'operator', 'customer-signing-in', 'customer'];

/** Every form of the service, by the table of routes: a new one is played without being named here. */
const FORMS = ROUTES.filter(({ method, caller }) => method === 'POST' && PEOPLE.includes(caller)).map(
  ({ path, caller }) => [path.replace(':channel_slug', 'acme'), caller] as const,
);

let farmers: Farmers;
let maria: Operator;

beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  ({ operator: maria } = await addOperator(farmers.store, 'Maria Lopez', 'operate'));
});

/** Somebody of this kind who has just come: their cookie, and the token of their forms. */
async function enter(caller: string): Promise<{ cookie: string; csrf: string }> {
  const { store, apiKey } = farmers;
  const open = async (cookie: string, collection: string, token: string) => {
    const session = await store.db
      .collection<{ _id: string; csrf: string }>(collection)
      .findOne({ _id: hashToken(token) });
    return { cookie: `${cookie}=${token}`, csrf: maskToken(session!.csrf) };
  };
  if (caller === 'sharer') return open('gdx-sharing', 'sessions', await openVerifiedSharing(store));
  if (caller === 'operator')
    return open('gdx-ops', 'operator_sessions', await openOperatorSession(store, maria));
  if (caller === 'customer') {
    const channel = (await findChannel(store, 'acme'))!;
    return open('gdx-customer', 'customer_sessions', await openCustomerSession(store, channel, apiKey));
  }
  if (caller === 'farmer' || caller === 'visitor')
    return open('gdx', 'sessions', await openVerifiedSession(store));
  const token = randomBytes(32).toString('base64url');
  const cookie = caller === 'signing-in' ? 'gdx-ops-form' : 'gdx-customer-form';
  return { cookie: `${cookie}=${token}`, csrf: maskToken(token) };
}

const PAGES = ROUTES.filter(({ method, caller }) => method === 'GET' && PEOPLE.includes(caller)).map(
  ({ path, caller }) => [path, caller] as const,
);

test.each(PAGES)('HEAD %s changes nothing, as %s', async (path, caller) => {
  const { cookie } = await enter(caller);
  const sessions = () =>
    Promise.all(
      ['sessions', 'operator_sessions', 'customer_sessions'].map((name) =>
        farmers.store.db.collection(name).find().sort({ _id: 1 }).toArray(),
      ),
    );
  const before = await sessions();
  const said = Buffer.from(JSON.stringify([path, 'wrong'])).toString('base64url');
  const headers = { cookie: `${cookie}; gdx-said=${said}` };
  const left = path === '/subscriptions/leave' ? '?cancelled' : '';
  const answer = await farmers.ask('HEAD', `${path.replace(/:\w+/g, 'acme')}${left}`, { headers });
  expect([answer.status, answer.text]).toEqual([200, '']);
  expect([answer.headers['set-cookie'], answer.headers['location']]).toEqual([undefined, undefined]);
  expect(await sessions()).toEqual(before);
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' };

type Made = [Record<string, string>, string];
const ofAnother = () => maskToken(randomBytes(32).toString('base64url'));

/** What may be wrong with a form, with the status of the page that says so; and forms that ask for little. */
const WAYS: [string, number[], (of: { cookie: string; csrf: string }) => Made][] = [
  [
    'with nothing filled in',
    [200, 422],
    ({ cookie, csrf }) => [{ ...FORM, cookie }, `csrf=${csrf}&form=${randomUUID()}`],
  ],
  [
    'with rubbish',
    [200, 400, 422],
    ({ cookie, csrf }) => [{ ...FORM, cookie }, `csrf=${csrf}&form=x&do=x&reason=&days=x&code=x`],
  ],
  ['of no session', [401, 403], ({ csrf }) => [FORM, `csrf=${csrf}`]],
  ['of another session', [403], ({ cookie }) => [{ ...FORM, cookie }, `csrf=${ofAnother()}`]],
  [
    'of another site',
    [403],
    ({ cookie, csrf }) => [{ ...FORM, cookie, origin: 'https://evil.example' }, `csrf=${csrf}`],
  ],
  ['that is none', [400], ({ cookie }) => [{ cookie, 'content-type': 'application/json' }, '{}']],
  [
    'that is too large',
    [400],
    ({ cookie, csrf }) => [{ ...FORM, cookie }, `csrf=${csrf}&x=${'x'.repeat(1_100_000)}`],
  ],
];

interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

async function ask(
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answered> {
  const answer = await request(`http://127.0.0.1:${farmers.port}${path}`, {
    ...{ method, headers, body: body ?? null, reset: true },
  });
  const text = await answer.body.text();
  const { location } = answer.headers;
  if (method === 'GET' && answer.statusCode === 303) return ask('GET', String(location), headers);
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** The page that a form leads to, in the browser that has posted it. */
async function submit(path: string, headers: Record<string, string>, body: string) {
  const answer = await ask('POST', path, headers, body);
  const { location = '' } = answer.headers;
  const set = [answer.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0]);
  const cookie = [headers['cookie'], ...set].filter(Boolean).join('; ');
  const shown = await ask('GET', String(location), { cookie, accept: 'text/html' });
  const again = await ask('GET', String(location), { cookie: headers['cookie'] ?? '', accept: 'text/html' });
  return { answer, location: String(location), shown, again };
}

test('there are forms of each kind of people', () => {
  expect(new Set(FORMS.map(([, caller]) => caller))).toEqual(new Set(PEOPLE));
});

describe.each(FORMS)('the form of %s', (path, caller) => {
  test.each(WAYS)('%s is answered by 303, to a page that says so once', async (way, statuses, made) => {
    const { answer, location, shown, again } = await submit(path, ...made(await enter(caller)));
    expect([answer.status, answer.text.length]).toEqual([303, 0]);
    expect(location).toMatch(new RegExp(`^/${path.split('/')[1]}(/[a-z/-]+)?([?](did|language)=[\\w-]+)?$`));
    expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
    // Signing out needs no session, and after it there is none; a code that was right is right.
    if (!/sign-out$|code$/.test(path)) expect(statuses).toContain(shown.status);
    if (way !== 'of no session') expect([200, 401, 403]).toContain(again.status);
  });
});

test('what was wrong is said once, on the page of its form alone, and not because an address says so', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  await visitor.submit({});
  const headers = () => ({ ...FORM, cookie: visitor.cookie! });
  const { headers: set } = await ask(
    'POST',
    '/subscriptions/code',
    headers(),
    `csrf=${csrfOf(visitor)}&code=1`,
  );
  visitor.cookie += `; ${String(set['set-cookie']).split(';')[0]}`;
  const seen: string[] = [];
  for (const page of ['phone', 'code', 'code', 'code?problem=wrong']) {
    await visitor.get(`/subscriptions/${page}`);
    seen.push(visitor.at);
  }
  expect(seen).toEqual([
    '200 /subscriptions/phone',
    '422 /subscriptions/code',
    '200 /subscriptions/code',
    '200 /subscriptions/code',
  ]);
});

test.each([
  ['no JSON', 'x'],
  ['an error that is none', JSON.stringify(['/subscriptions/phone', 'error', 'toString', '0', '', ''])],
  ['no list', '7'],
])('a cookie that has %s in place of words says nothing', async (_, words) => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  visitor.cookie += `; gdx-said=${Buffer.from(words).toString('base64url')}`;
  expect((await visitor.get('/subscriptions/phone')).status).toBe(200);
});

test('an error leads back to a page of ours alone, and has the request id of its form', async () => {
  const { cookie } = await enter('customer');
  const { answer, shown } = await submit('/customer/reset', { cookie, 'content-type': 'text/plain' }, 'x');
  expect(shown.text).toContain(`Request id <code>${String(answer.headers['x-request-id'])}</code>`);
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  const words = ['/subscriptions/phone', 'error', 'busy', '0', '', '//evil.example'];
  visitor.cookie += `; gdx-said=${Buffer.from(JSON.stringify(words)).toString('base64url')}`;
  const { status, html } = await visitor.get('/subscriptions/phone');
  expect([status, html.includes('evil')]).toEqual([503, false]);
});

test('a page that answers a form is kept sealed, in its session alone, until it is shown', async () => {
  const { cookie, csrf } = await enter('customer');
  const form = new URLSearchParams({ csrf, form: randomUUID(), reason: 'as every year' });
  const { headers } = await ask('POST', '/customer/rotate-secret', { ...FORM, cookie }, String(form));
  const said = String(headers['set-cookie']).split(';')[0]!;
  const of = (name: string) => farmers.store.db.collection(name);
  const kept = await of('customer_sessions')
    .find({ kept: { $exists: true } })
    .toArray();
  expect(kept).toHaveLength(1);
  expect((kept[0]!['kept'] as { buffer: Buffer }).buffer.toString('latin1')).not.toContain('whsec_');
  const look = async (who: string) => (await ask('GET', '/customer', { cookie: `${who}; ${said}` })).text;
  expect(await look((await enter('customer')).cookie)).not.toContain('whsec_');
  expect(await look(cookie)).toMatch(/<code>whsec_/);
  expect(await look(cookie)).not.toContain('whsec_');
  expect(await of('customer_sessions').countDocuments({ kept: { $exists: true } })).toBe(0);
});
