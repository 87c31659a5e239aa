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
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { signedLink } from '../../docs/samples/sign-link.cjs';
import { LINK_PARTS } from '../../domain/consent/link-signature';
import { newLinkKey, removeLinkKeys } from '../../store/secrets/link-keys';
import { rewire } from '../commit-order/rewire';
import { slowTest } from '../setup/cases';
import { runTool } from '../setup/run-tool';

let farmers: Farmers;

describe('links', () => {
  const MARK = 'zx9q';
  const CONTACT = '1-800-555-0100';

  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(PHONE, 1));
    await addFarmersChannel(farmers, 'other', { callback_origins: ['https://other.example'] });
    await farmers.store.db
      .collection<{ _id: string }>('channels')
      .updateOne({ _id: 'acme' }, { $set: { contact: CONTACT } });
  });

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

  test.each(['&', ';', '/', '%3F', '/?'])(
    'one whose ? became %s is logged without what it carries',
    async (mark) => {
      farmers.lines.length = 0;
      const link = `${linkTo({ partner_id: MARK })}&signature=${MARK}`.replace('?', mark);
      await farmers.ask('GET', link, { headers: { accept: 'text/html' } });
      expect(farmers.lines).toMatchObject([
        { msg: 'request', path: expect.stringMatching(/^.subscriptions/) },
      ]);
      expect(JSON.stringify(farmers.lines)).not.toMatch(new RegExp(`${MARK}|${PHONE}|Acme`));
    },
  );

  const PARTS = ['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone'];

  test('all five good: a session, and an address without them', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    expect(visitor.at).toBe('200 /subscriptions/phone');
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
  ])('callback_url %j is refused', (callback_url) =>
    expectBroken(linkTo({ callback_url }), ['callback_url']),
  );

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
    const { headers } = await farmers.inProduction(() => farmers.ask('GET', linkTo()));
    expect(headers).toMatchObject({ location: '/subscriptions/phone' });
    expect(String(headers['set-cookie'])).toMatch(
      /^__Host-gdx=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test('no session: a page that says so, in the reader’s language first', async () => {
    const visitor = farmers.visitor();
    for (const { method, path } of ROUTES.filter(({ caller }) => caller === 'farmer')) {
      const { status, html } =
        method === 'GET' ? await visitor.get(path) : await visitor.post(path, 'csrf=x');
      expect([method, path, status]).toEqual([method, path, 403]);
      expect(html).toContain('Your visit has ended');
    }
    visitor.headers['accept-language'] = 'es-MX,es;q=0.9,en;q=0.5';
    expect((await visitor.get('/subscriptions/code')).html).toMatch(/<html lang="es">.*<h1>Su visita/s);
  });
});

describe('signed links', () => {
  const LINK: Record<(typeof LINK_PARTS)[number], string> = {
    callback_url: 'https://acme.example/back?a=1&b=2',
    display_name: 'Acme & Søns “Crop” 🌾',
    partner_id: 'policy 1/2+3=&%',
    partner_slug: 'acme',
    phone: '7015550142',
  };

  let key: string;
  beforeAll(async () => {
    farmers = await startFarmers();
    await addFarmersChannel(farmers, 'other');
    const channels = farmers.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: 'acme' }, { $set: { contact: '1-800-555-0100' } });
  });
  beforeEach(async () => {
    await removeLinkKeys(farmers.store, 'acme');
    ({ linkKey: key } = await newLinkKey(farmers.store, 'acme', 0));
    for (const name of ['sessions', 'attempt_counts']) await farmers.store.db.collection(name).deleteMany({});
  });

  const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
  const link = (changes: Partial<typeof LINK> = {}, { expires = inSeconds(3_600), by = key } = {}) =>
    signedLink('/subscriptions', by, [...LINK_PARTS.map((part) => ({ ...LINK, ...changes })[part]), expires]);

  /** With one parameter as it is given here, under the signature of another. */
  function changed(name: string, value: string, of = link()): string {
    const query = new URLSearchParams(of.split('?')[1]);
    query.set(name, value);
    return `/subscriptions?${query}`;
  }

  async function expectRefused(address: string, title: string): Promise<void> {
    const { status, text, headers } = await farmers.ask('GET', address);
    expect({ address, status, cookie: headers['set-cookie'] }).toEqual({
      address,
      status: 403,
      cookie: undefined,
    });
    const said = textOf(text);
    expect(said).toContain(title);
    expect(said).toContain(
      'Ask Acme Crop Insurance for a new one. Call Acme Crop Insurance: 1-800-555-0100.',
    );
    expect(said).not.toMatch(/policy|Søns/);
    for (const name of ['sessions', 'attempt_counts'])
      expect([name, await farmers.store.db.collection(name).countDocuments()]).toEqual([name, 0]);
  }

  const opens = async (address: string) => (await farmers.ask('GET', address)).headers['location'];
  const DISTRUSTED = 'This link cannot be trusted';

  test('a signed link opens the page', async () => {
    expect(await opens(link())).toBe('/subscriptions/phone');
  });

  test('an unsigned one is refused, where the channel has a key', async () => {
    await expectRefused(linkTo(), DISTRUSTED);
    expect(await opens(linkTo({ partner_slug: 'other' }))).toBe('/subscriptions/phone');
    await removeLinkKeys(farmers.store, 'acme');
    expect(await opens(linkTo())).toBe('/subscriptions/phone');
    expect(await opens(link())).toBe('/subscriptions/phone'); // so that the customer can begin to sign before
  });

  test.each([
    ['callback_url', 'https://acme.example/other'],
    ['display_name', 'Acme'],
    ['partner_id', 'policy-2'],
    ['phone', '7015550199'],
    ['expires', '9999999999'],
    ['expires', ''],
    ['signature', ''],
    ['signature', 'f'.repeat(64)],
  ])('%s changed to %j: refused', (name, value) => expectRefused(changed(name, value), DISTRUSTED));

  test('the signature of another key or of another channel’s link is refused', async () => {
    await expectRefused(link({}, { by: 'gdx_link_of-somebody-else' }), DISTRUSTED);
    await expectRefused(changed('partner_slug', 'acme', link({ partner_slug: 'other' })), DISTRUSTED);
  });

  test('a line feed cannot move the border between two values', async () => {
    const of = link({ display_name: 'Acme', partner_id: 'x' });
    await expectRefused(changed('display_name', 'Acme\nx', of), DISTRUSTED);
    expect(() => link({ display_name: 'Acme\nx' })).toThrow('without line feeds');
  });

  test('a repeated parameter is refused', async () => {
    await expectRefused(`${link()}&expires=9999999999`, DISTRUSTED);
  });

  test('a link that is over says so; clocks may be five minutes apart', async () => {
    await expectRefused(link({}, { expires: inSeconds(-302) }), 'This link has expired');
    await expectRefused(changed('expires', inSeconds(-302)), DISTRUSTED); // not even when it was over
    expect(await opens(link({}, { expires: inSeconds(-295) }))).toBe('/subscriptions/phone');
  });

  test('the key of yesterday signs as long as it is kept, and the one before no more', async () => {
    const first = key;
    const { linkKey: second, old_link_key_ends_at } = await newLinkKey(farmers.store, 'acme', 86_400_000);
    expect((old_link_key_ends_at!.getTime() - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    for (const by of [first, second]) expect(await opens(link({}, { by }))).toBe('/subscriptions/phone');
    const { linkKey: third } = await newLinkKey(farmers.store, 'acme', 60_000);
    expect(await opens(link({}, { by: third }))).toBe('/subscriptions/phone');
    await farmers.store.db
      .collection('link_keys')
      .updateMany({}, { $set: { 'keys.1.expires_at': new Date() } });
    for (const name of ['sessions', 'attempt_counts']) await farmers.store.db.collection(name).deleteMany({});
    for (const by of [first, second]) await expectRefused(link({}, { by }), DISTRUSTED);
  });

  const SAMPLES: [string, string[]][] = [
    ['Node.js', [process.execPath, 'sign-link.cjs']],
    ['Python', ['python3', 'sign-link.py']],
  ];

  slowTest.each(SAMPLES)('the sample in %s', async (name, run) => {
    const [program = '', ...rest] = run;
    runTool([program, '--version'], { install: `${name} is needed to run its sample` });
    const args = [...rest.slice(0, -1), path.join(__dirname, '../../docs/samples', rest.at(-1)!)];
    const values = [...LINK_PARTS.map((part) => LINK[part]), inSeconds(60)];
    const env = { ...process.env, LINK_KEY: key };
    const { stdout } = spawnSync(program, [...args, '/subscriptions', ...values], { env, encoding: 'utf8' });
    expect(await opens(stdout.trim())).toBe('/subscriptions/phone');
    const called = spawnSync(program, args, { env, encoding: 'utf8' });
    expect([called.stderr, called.status]).toEqual([expect.stringMatching(/^usage: .*<page>/), 2]);
    const keyless = spawnSync(program, [...args, '/subscriptions', ...values], {
      env: { ...env, LINK_KEY: '' },
      encoding: 'utf8',
    });
    expect([keyless.stdout, keyless.status]).toEqual(['', 2]);
  });

  test.each([
    ['', async () => undefined],
    [', the first of the channel', () => removeLinkKeys(farmers.store, 'acme')],
  ])('of two keys made at the same time%s both sign, as each was shown to somebody', async (_, prepare) => {
    await prepare();
    let meanwhile: string | undefined;
    const store = rewire(farmers.store, async ({ method, run }) => {
      const read = await run();
      if (method === 'findOne') meanwhile ??= (await newLinkKey(farmers.store, 'acme', 60_000)).linkKey;
      return read;
    });
    const { linkKey } = await newLinkKey(store, 'acme', 60_000);
    for (const by of [linkKey, meanwhile!])
      expect(await opens(link({}, { by }))).toBe('/subscriptions/phone');
  });
});
