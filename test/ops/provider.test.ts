import { createProvider } from '../../api/ops/create-provider';
import { nameOfClaims, roleOfGroups } from '../../domain/settings/operators-provider';
import { listOpenSessions, operatorSessions } from '../../store/sessions/page-sessions';
import { findChannel } from '../../store/channels/channels';
import { listActions } from '../../store/callers/operator-actions';
import { textOf } from '../farmer/visitor';
import { addTestChannel } from '../setup/add-test-channel';
import { OpsBrowser } from './ops-browser';
import { startOps, type Ops } from './start-ops';
import { startProvider, type SignInProvider } from './start-provider';

const MARIA = { email: 'maria@coop.example', groups: ['grain-operators', 'staff'] };
const SECRET = 'gdx-ops-provider';

let provider: SignInProvider;
let ops: Ops;

beforeAll(async () => {
  provider = await startProvider();
  const atProvider = createProvider(provider.settings);
  await atProvider.begin('loads the library', '/ops');
  ops = await startOps({ provider: atProvider });
  await addTestChannel(ops.store, 'acme', 'https://acme.example');
});
beforeEach(async () => {
  await ops.store.db.collection('attempt_counts').deleteMany({});
  provider.be('maria', MARIA);
});

const cookieOf = ({ cookies }: OpsBrowser) => [...cookies].map((pair) => pair.join('=')).join('; ');

/** Follows the link of the sign-in page. @returns where the provider is, for this browser */
async function begin(browser: OpsBrowser, to = '/ops'): Promise<URL> {
  const { html } = await browser.get(to);
  const [, link] = /href="(\/ops\/sign-in\/provider[^"]*)"/.exec(html)!;
  const { status, headers } = await ops.ask('GET', link!, { headers: { cookie: cookieOf(browser) } });
  expect(status).toBe(303);
  const [, secret] = new RegExp(`${SECRET}=([^;]*)`).exec(String(headers['set-cookie']))!;
  browser.cookies.set(SECRET, secret!);
  return new URL(String(headers['location']));
}

async function signIn(
  browser: OpsBrowser,
  { to, alter = () => undefined }: { to?: string; alter?: (at: URLSearchParams) => void } = {},
) {
  const at = await begin(browser, to);
  alter(at.searchParams);
  return browser.get(await provider.visit(at.href));
}

test('whoever is in a group signs in at the provider, and acts under the name that it gives', async () => {
  const browser = ops.browser();
  const page = await signIn(browser, { to: '/ops/channels/acme' });
  expect([page.status, page.headers['refresh']]).toEqual([200, '0; url=/ops/channels/acme']);
  expect(browser.cookies.has(SECRET)).toBe(false);
  await browser.get('/ops/channels/acme');
  await browser.submit('/ops/channels/acme/pause', { reason: 'their maintenance' });
  expect((await findChannel(ops.store, 'acme'))!.state).toBe('paused');
  expect(await listActions(ops.store, 'acme', 1)).toMatchObject([
    { action: 'pause', by: 'maria@coop.example (provider: maria)', via: '/ops' },
  ]);
});

test('whoever is in a group that may look only looks', async () => {
  provider.be('rita', { groups: 'grain-readers' });
  const browser = ops.browser();
  await signIn(browser);
  expect(textOf((await browser.get('/ops/channels/acme')).html)).toContain('Your role is read-only');
  const posted = await browser.follow('POST', '/ops/channels/acme/pause', 'reason=x');
  expect(posted.status).toBe(403);
});

test('a session ends an hour after the provider was asked, however often a page is opened', async () => {
  const browser = ops.browser();
  await signIn(browser);
  const sessions = ops.store.db.collection('operator_sessions');
  const [newest] = await sessions.find().sort({ ends_at: 1 }).toArray();
  expect((newest!['ends_at'].getTime() - Date.now()) / 60_000).toBeCloseTo(60, 0);
  await sessions.updateMany({}, { $set: { ends_at: new Date() } });
  expect((await browser.get('/ops')).status).toBe(401);
});

test('whoever is signed in is listed by the name that the provider gives, and is out once an operator ends the session', async () => {
  const [one, other] = [ops.browser(), ops.browser()];
  provider.be('eve', { groups: 'grain-readers' });
  await signIn(one);
  provider.be('maria', MARIA);
  await signIn(other);
  const open = (await listOpenSessions(ops.store)).filter(({ name }) => name.includes('eve'));
  expect(open).toMatchObject([{ role: 'read', by: 'provider' }]);
  await operatorSessions.close(ops.store, open[0]!.session);
  expect([(await one.get('/ops')).status, (await other.get('/ops')).status]).toEqual([401, 200]);
});

const REFUSED: [string, string, () => Promise<OpsBrowser>][] = [
  [
    'whoever is in no group',
    'You are in no group that may come in',
    async () => {
      provider.be('nora', { groups: ['staff'] });
      return signedInBy({});
    },
  ],
  [
    'whoever the provider refuses',
    'The provider has not signed you in',
    async () => {
      provider.be('maria', MARIA, { refuses: true });
      return signedInBy({});
    },
  ],
  [
    'whoever comes with another state',
    'The provider has not signed you in',
    () =>
      signedInBy({
        alter: (at) =>
          at.set(
            'state',
            at.get('state')!.replace(/^./, (first) => (first === 'x' ? 'y' : 'x')),
          ),
      }),
  ],
  [
    'whoever comes with another nonce',
    'The provider has not signed you in',
    () => signedInBy({ alter: (at) => at.set('nonce', 'x'.repeat(43)) }),
  ],
  [
    'whoever comes by a code that another browser was given',
    'The provider has not signed you in',
    async () => {
      const [browser, thief] = [ops.browser(), ops.browser()];
      const stolen = new URLSearchParams((await provider.visit((await begin(browser)).href)).split('?')[1]);
      const own = new URLSearchParams((await provider.visit((await begin(thief)).href)).split('?')[1]);
      own.set('code', stolen.get('code')!);
      await thief.get(`/ops/sign-in/from-provider?${own}`);
      return thief;
    },
  ],
  [
    'whoever comes by what the provider said a while ago',
    'The provider has not signed you in',
    async () => {
      provider.be('maria', MARIA, { slowMs: 2 * 3_600_000 });
      return signedInBy({});
    },
  ],
  [
    'whoever comes in a browser that has not begun it, or has forgotten',
    'This sign-in has expired',
    async () => {
      const browser = ops.browser();
      const back = await provider.visit((await begin(browser)).href);
      browser.cookies.delete(SECRET);
      await browser.get(back);
      return browser;
    },
  ],
];

const signedInBy = async (how: Parameters<typeof signIn>[1]) => {
  const browser = ops.browser();
  await signIn(browser, how);
  return browser;
};

test.each(REFUSED)('%s is not signed in: %s', async (_, says, come) => {
  const browser = await come();
  expect([browser.page.status, textOf(browser.page.html)]).toEqual([403, expect.stringContaining(says)]);
  expect(browser.cookies.has('gdx-ops')).toBe(false);
  expect((await browser.get('/ops')).status).toBe(401);
});

test('what comes back is tried ten times from an address, and a token still opens the door', async () => {
  const browser = ops.browser();
  const statuses = [];
  for (let time = 0; time < 11; time++) {
    browser.cookies.set(SECRET, 'x'.repeat(43));
    statuses.push((await browser.get('/ops/sign-in/from-provider?state=x&code=y')).status);
  }
  expect(statuses).toEqual([...Array(10).fill(403), 429]);
  expect((await (await ops.signedIn()).get('/ops')).status).toBe(200);
});

test('while the provider is away a token opens the door, and the provider again when it is back', async () => {
  const fresh = await startOps({
    provider: createProvider(provider.settings),
    store: ops.store,
    name: 'Away',
  });
  await provider.stop();
  const away = await fresh.ask('GET', '/ops/sign-in/provider');
  expect([away.status, textOf(away.text)]).toEqual([503, expect.stringContaining('operator’s token')]);
  expect((await (await fresh.signedIn()).get('/ops')).status).toBe(200);
  await provider.startAgain();
  expect((await fresh.ask('GET', '/ops/sign-in/provider')).status).toBe(303);
  await fresh.stop();
});

test('without a provider the page offers none', async () => {
  const plain = await startOps({ store: ops.store, name: 'Plain' });
  expect((await plain.ask('GET', '/ops/sign-in')).text).not.toContain('/ops/sign-in/provider');
  for (const path of ['provider', 'from-provider?code=x'])
    expect((await plain.ask('GET', `/ops/sign-in/${path}`)).status).toBe(404);
  await plain.stop();
});

test('groups of the provider, one or several, give the role that is most', () => {
  const roleOf = (groups: unknown) => roleOfGroups({ groups }, provider.settings);
  expect([roleOf(['grain-readers', 'grain-operators']), roleOf('grain-readers')]).toEqual([
    'operate',
    'read',
  ]);
  for (const none of [undefined, null, [], 'grain', { 'grain-operators': true }, [['grain-operators']]])
    expect(roleOf(none)).toBeUndefined();
});

test('a name of the provider is one line, and never that of an operator with a token', () => {
  expect(nameOfClaims({ sub: '7', email: 'Maria Lopez' })).toBe('Maria Lopez (provider: 7)');
  expect(nameOfClaims({ sub: '7', email: '', name: 'A\nB\u202e' })).toBe('A B (provider: 7)');
  expect(nameOfClaims({ sub: '7' })).toBe('(provider: 7)');
});
