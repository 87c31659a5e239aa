import { ROUTES } from '../../api/routes';
import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { textOf } from './visitor';

const MARK = 'zx9q';
const CONTACT = '1-800-555-0100';

let farmers: Farmers;

beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(PHONE, 1));
  await addFarmersChannel(farmers, 'other', { callback_origins: ['https://other.example'] });
  await farmers.store.db
    .collection<{ _id: string }>('channels')
    .updateOne({ _id: 'acme' }, { $set: { contact: CONTACT } });
});
afterAll(() => farmers.stop());

const sessions = () => farmers.store.db.collection('sessions').countDocuments();

async function expectBroken(path: string, parts: string[]): Promise<void> {
  const visitor = farmers.visitor();
  const before = await sessions();
  const { status, html, headers } = await visitor.get(path);
  expect({ status, location: headers['location'], cookie: headers['set-cookie'] }).toEqual({
    status: 400,
    location: undefined,
    cookie: undefined,
  });
  const text = textOf(html);
  expect(text).toContain('This link does not work');
  expect(text).toContain('Este enlace no funciona');
  const named = [...html.matchAll(/<li>[^<]*\((\w+)\)<\/li>/g)].map(([, part]) => part);
  expect(named).toEqual([...parts, ...parts]);
  expect(html).not.toContain(MARK);
  expect(await sessions()).toBe(before);
}

const PARTS = ['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone'];

test('all five good: a session, and an address without them', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  expect([visitor.page.status, visitor.page.path]).toEqual([200, '/subscriptions/phone']);
  expect(visitor.cookie).toMatch(/^gdx=[\w-]{43}$/);
});

test.each(PARTS)('%s missing, empty or repeated', async (part) => {
  const all = new URLSearchParams(linkTo().split('?')[1]);
  const value = all.get(part) as string;
  all.delete(part);
  await expectBroken(`/subscriptions?${all}`, [part]);
  await expectBroken(linkTo({ [part]: '' }), [part]);
  await expectBroken(`${linkTo()}&${part}=${encodeURIComponent(value)}`, [part]);
});

test('none of them', () => expectBroken('/subscriptions', PARTS));

test.each([
  `javascript:alert('${MARK}')`,
  `data:text/html,${MARK}`,
  `https://acme.example@${MARK}.example/`,
  `https://user:${MARK}@acme.example/`,
  `https://acme.example.${MARK}.example/`,
  `https://${MARK}.acme.example/`,
  `https://acme.example:8443/${MARK}`,
  `http://acme.example/${MARK}`,
  `https://acme.example\\@${MARK}.example/`,
  `https:\\\\acme.example\\${MARK}`,
  `//acme.example/${MARK}`,
  `https:acme.example/${MARK}`,
  `/${MARK}`,
  ` https://acme.example/${MARK}`,
  `https://acme.example/\n${MARK}`,
  `https://acme.example/\u0000${MARK}`,
  `https://аcme.example/${MARK}`, // a Cyrillic а
  `https://acme.example/${MARK.repeat(2_000)}`,
  'https://other.example/',
  'null',
])('callback_url %j is refused', (callback_url) => expectBroken(linkTo({ callback_url }), ['callback_url']));

test.each(['\u0000', '\u202e\u2066', ' \n '])('display_name %j has nothing to show', (display_name) =>
  expectBroken(linkTo({ display_name }), ['display_name']),
);

test.each([`a\u0007${MARK}`, MARK.repeat(33), MARK.repeat(2_500), '\u0000'])(
  'partner_id %j is refused',
  (partner_id) => expectBroken(linkTo({ partner_id }), ['partner_id']),
);

test('bytes that are no UTF-8 are no partner_id', () =>
  expectBroken(linkTo().replace('policy-1', '%ff%fe'), ['partner_id']));

test.each([
  '701555014',
  '70155501421',
  '701-555-0142',
  '+17015550142',
  '701555014x',
  '７０１５５５０１４２',
  ` 7015550142`,
])('phone %j is refused', (phone) => expectBroken(linkTo({ phone }), ['phone']));

test.each(['Acme', MARK, '../acme', `acme\u0000`, '$ne', MARK.repeat(500)])(
  'partner_slug %j is refused',
  (partner_slug) => expectBroken(linkTo({ partner_slug }), ['partner_slug']),
);

test('whom to call is said where the customer is known', async () => {
  const visitor = farmers.visitor();
  const text = textOf((await visitor.get(linkTo({ phone: '1' }))).html);
  expect(text).toContain(`Call Acme Crop Insurance: ${CONTACT}.`);
  expect(textOf((await visitor.get(linkTo({ partner_slug: 'x' }))).html)).toContain(
    'Call the people who sent you',
  );
});

test.each([
  ['<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
  ['"><img src=x onerror=alert(1)>', '“&quot;>&lt;img src=x onerror=alert(1)>”'],
  ['Acme \u202eevil\u202c \u0007Crop', '“Acme evil Crop”'],
  ['x'.repeat(10_240), `“${'x'.repeat(80)}”`],
  ['Zoë & Søns 🌾', '“Zoë &amp; Søns 🌾”'],
])('display_name %# is shown as text', async (display_name, shown) => {
  const visitor = farmers.visitor();
  const { html, status } = await visitor.get(linkTo({ display_name }));
  expect(status).toBe(200);
  expect(html).toContain(shown);
  expect(html).not.toMatch(/<script|<img|[\u202a-\u202e\u2066-\u2069]/);
});

test('a partner_id of any other characters is kept as it is', async () => {
  const partner_id = ' §"<b>&=/$where 🌾';
  const visitor = farmers.visitor();
  await visitor.get(linkTo({ partner_id }));
  const leave = await farmers.ask('GET', '/subscriptions/leave?cancelled', {
    headers: { cookie: visitor.cookie! },
  });
  expect(new URL(leave.headers['location'] as string).searchParams.get('partner_id')).toBe(partner_id);
});

test('the reference of the customer is shown as one, and cannot pass for words of the page', async () => {
  const partner_id = `\u202eP-1\u2066<b>${'9'.repeat(100)}`;
  const visitor = await farmers.verified({ partner_id });
  await visitor.submit({ account: ['42-1'] });
  expect(visitor.page.path).toBe('/subscriptions/check');
  expect(visitor.page.html).toContain(`Their reference for you: <bdi>P-1 &lt;b>${'9'.repeat(57)}…</bdi>`);
});

test('the headers let nothing in and nothing out', async () => {
  const visitor = farmers.visitor();
  const seen = [
    await visitor.get(linkTo()),
    await visitor.get('/subscriptions'),
    await farmers.visitor().get('/subscriptions/code'),
  ];
  for (const { headers } of seen) {
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    });
  }
});

test('in production the cookie is bound to host and TLS', async () => {
  const inProduction = await startFarmers({ farmer: { production: true } });
  const { headers } = await inProduction.ask('GET', linkTo());
  await inProduction.stop();
  expect(headers).toMatchObject({ location: '/subscriptions/phone' });
  expect(String(headers['set-cookie'])).toMatch(
    /^__Host-gdx=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
});

test('no session: a page that says so, in the reader’s language first', async () => {
  const visitor = farmers.visitor();
  for (const { method, path } of ROUTES.filter(({ caller }) => caller === 'farmer')) {
    const { status, html } = method === 'GET' ? await visitor.get(path) : await visitor.post(path, 'csrf=x');
    expect([method, path, status]).toEqual([method, path, 403]);
    expect(html).toContain('Your visit has ended');
  }
  visitor.headers['accept-language'] = 'es-MX,es;q=0.9,en;q=0.5';
  expect((await visitor.get('/subscriptions/code')).html).toMatch(/<html lang="es">.*<h1>Su visita/s);
});
