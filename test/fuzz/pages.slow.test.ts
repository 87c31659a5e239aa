import { request } from 'undici';
import { ROUTES } from '../../api/routes';
import { Random } from '../../tools/sample/random';
import { linkTo } from '../farmer/start-farmers';
import { OpsBrowser } from '../ops/ops-browser';
import { plantScene } from '../ops/plant-scene';
import { startOps, type Ops } from '../ops/start-ops';
import { tryKey } from '../customer-page/customer-browser';
import { cases, scaledTest } from '../setup/cases';
import { rotateKey } from '../../store/channels/channel-keys';
import { pageRequestFor } from './page-requests';

// As with the JSON routes (fuzz.slow.test.ts).
const { GDX_FUZZ_INPUTS: MANY } = process.env;
const INPUTS = MANY ? Math.ceil(Number(MANY) / 5) : cases(5, 60);
const SEED = process.env.GDX_SEED ?? (MANY ? String(Date.now() % 1_000_000) : '20261121');

const PAGES = ROUTES.filter(({ caller }) => !['anyone', 'integration', 'channel'].includes(caller));

let ops: Ops;
let browsers: Record<string, OpsBrowser>;

beforeAll(async () => {
  ops = await startOps();
  await plantScene(ops.store);
  const { apiKey } = (await rotateKey(ops.store, 'acme', 0))!;
  const farmer = new OpsBrowser(ops.port);
  await farmer.get(linkTo());
  const operator = await ops.signedIn();
  await operator.get('/ops/channels/acme');
  browsers = { operator, customer: await tryKey(ops, apiKey), farmer, sharer: farmer, visitor: farmer };
});

scaledTest.each(PAGES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  `%s: ${INPUTS} generated requests of seed ${SEED}`,
  async (name, { method, path, caller }) => {
    const random = new Random(`${SEED} ${name}`);
    // Whoever signs out is gone for the others.
    const browser = path.endsWith('sign-out') ? undefined : browsers[caller];
    const csrf = /name="csrf" value="([^"]*)"/.exec(browser?.page.html ?? '')?.[1] ?? '';
    const cookie = browser ? [...browser.cookies].map((pair) => pair.join('=')).join('; ') : '';
    const tally: Record<number, number> = {};
    for (let count = 0; count < INPUTS; count++) {
      const { headers, body, ...asked } = pageRequestFor({ method, path }, random, csrf);
      const url = `http://127.0.0.1:${ops.port}${asked.path}`;
      const answer = await request(url, {
        method: method as 'GET',
        headers: { ...headers, ...(random.chance(0.9) && { cookie }) },
        body: body ?? null,
      });
      const html = await answer.body.text();
      tally[answer.statusCode] = (tally[answer.statusCode] ?? 0) + 1;
      const shown = { seed: SEED, count, ...asked, body: body?.toString('latin1').slice(0, 500) };
      expect({ ...shown, fault: answer.statusCode >= 500 && answer.statusCode }).toEqual({
        ...shown,
        fault: false,
      });
      expect({ ...shown, inside: /<script>alert|\bat \S+ \(|node_modules/.exec(html)?.[0] }).toEqual({
        ...shown,
        inside: undefined,
      });
    }
    console.log(`${name} ${JSON.stringify(tally)}`);
  },
  60_000 + INPUTS * 200,
);
