import { request } from 'undici';
import { createProvider } from '../../api/ops/create-provider';
import { ROUTES } from '../../api/routes';
import { Random } from '../../tools/sample/random';
import { MOST_CPU_MS, withCpuTime } from '../api/cpu-time';
import {
  accountsOf,
  addFarmersChannel,
  openVerifiedSession,
  openVerifiedSharing,
  PHONE,
  pushAccounts,
} from '../farmer/start-farmers';
import { OpsBrowser } from '../ops/ops-browser';
import { plantScene } from '../ops/plant-scene';
import { startOps, type Ops } from '../ops/start-ops';
import { startProvider, type SignInProvider } from '../ops/start-provider';
import { tryKey } from '../customer-page/customer-browser';
import { cases, scaledTest } from '../setup/cases';
import { channelKeys } from '../../store/channels/channels';
import { pageRequestFor } from './page-requests';

// As with the JSON routes (fuzz.slow.test.ts).
const { GDX_FUZZ_INPUTS: MANY } = process.env;
const INPUTS = MANY ? Math.ceil(Number(MANY) / 5) : cases(5, 60);
const SEED = process.env.GDX_SEED ?? (MANY ? String(Date.now() % 1_000_000) : '20261121');

const PAGES = ROUTES.filter(({ caller }) => !['anyone', 'integration', 'channel'].includes(caller));

let ops: Ops;
let browsers: Record<string, OpsBrowser>;
let provider: SignInProvider;
/** What the browsers know beside their pages. */
let known: Record<string, string[]>;

beforeAll(async () => {
  provider = await startProvider();
  ops = await startOps({ provider: createProvider(provider.settings) });
  await plantScene(ops.store);
  const { token: apiKey } = (await channelKeys.rotate(ops.store, 'acme', 0))!;
  await addFarmersChannel(ops, 'growers');
  await pushAccounts(ops, accountsOf(PHONE, 20));
  const operator = await ops.signedIn();
  await operator.get('/ops/channels/acme');
  const outside = ops.browser();
  const { headers } = await ops.ask('GET', '/ops/sign-in/provider');
  outside.cookies.set(
    'gdx-ops-provider',
    /gdx-ops-provider=([^;]*)/.exec(String(headers['set-cookie']))![1]!,
  );
  await outside.get('/ops/sign-in');
  const customers = ops.browser();
  await customers.get('/customer/sign-in');
  browsers = {
    ...{ operator, customer: await tryKey(ops, apiKey), visitor: ops.browser() },
    ...{ 'signing-in': outside, 'customer-signing-in': customers },
  };
  known = {
    state: [new URL(String(headers['location'])).searchParams.get('state')!],
    token: [ops.token, apiKey],
    partner_slug: ['growers'],
  };
});

/** A farmer at the accounts, whose visit may end with what is tried. */
async function farmer(): Promise<OpsBrowser> {
  const browser = ops.browser();
  browser.cookies.set('gdx', await openVerifiedSession(ops.store, { partner_slug: 'growers' }));
  browser.cookies.set('gdx-sharing', await openVerifiedSharing(ops.store));
  await browser.get('/subscriptions/accounts');
  return browser;
}

scaledTest.each(PAGES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  `%s: ${INPUTS} generated requests of seed ${SEED}`,
  async (name, route) => {
    const { method, path, caller } = route;
    const random = new Random(`${SEED} ${name}`);
    // Whoever signs out is gone for the others.
    const browser = path.endsWith('sign-out') ? undefined : (browsers[caller] ?? (await farmer()));
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser?.page.html ?? '')?.[1] ?? '';
    const cookie = browser ? [...browser.cookies].map((pair) => pair.join('=')).join('; ') : '';
    const tally: Record<number, number> = {};
    let dearest = 0;
    for (let count = 0; count < INPUTS; count++) {
      // Ten wrong tries would close the door, and what is behind it would not be tried.
      if (count % 5 === 0) await ops.store.db.collection('attempt_counts').deleteMany({});
      const { headers, body, ...asked } = pageRequestFor(route, random, csrf, known);
      const url = `http://127.0.0.1:${ops.port}${asked.path}`;
      const sent = { ...headers, ...(random.chance(0.9) && { cookie }) };
      const { result, cpuMs } = await withCpuTime(async () => {
        const answer = await request(url, { method, headers: sent, body: body ?? null });
        return { answer, html: await answer.body.text() };
      });
      const { answer, html } = result;
      dearest = Math.max(dearest, cpuMs);
      tally[answer.statusCode] = (tally[answer.statusCode] ?? 0) + 1;
      const shown = { seed: SEED, count, ...asked, body: body?.toString('latin1').slice(0, 500) };
      const fault = answer.statusCode >= 500 && answer.statusCode;
      expect({ ...shown, fault, fast: cpuMs < MOST_CPU_MS }).toEqual({ ...shown, fault: false, fast: true });
      expect({ ...shown, inside: /<script>alert|\bat \S+ \(|node_modules/.exec(html)?.[0] }).toEqual({
        ...shown,
        inside: undefined,
      });
    }
    console.log(`${name} ${JSON.stringify(tally)}, the dearest ${dearest.toFixed(0)} ms of CPU`);
  },
  60_000 + INPUTS * 200,
);
