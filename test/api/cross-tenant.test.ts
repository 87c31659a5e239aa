import { ROUTES } from '../../api/routes';
import type { Caller } from '../../api/http/route';
import type { Route } from '../../api/routes';
import {
  accounts,
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type ApiAnswer,
  type Api,
} from './start-api';
import type { Held } from '../../store/push/list-pushed';
import { DEED_CALLERS } from '../control/deed-cases';
import { LIST_CALLERS } from '../control/list-cases';
import { leftError } from './left-error';
import { storedOf } from './stored-of';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { addresses } from './corpus/addresses';
import { PUSH, type BadInput } from './corpus/bad-input';
import { bodies } from './corpus/bodies';
import { envelope } from './corpus/envelope';
import { farmerLinks } from './corpus/farmer-links';
import { headers } from './corpus/headers';
import { markers } from './corpus/markers';
import { RECORD_CASES } from './corpus/records';
import { tokens } from './corpus/tokens';
import { MOST_CPU_MS, withCpuTime } from './cpu-time';
import { slowTest } from '../setup/cases';

let api: Api;

describe('cross-tenant', () => {
  // Who may call what, repeated here and in the cases of deeds and lists: a new route, or one opened to others, fails until it is listed.
  const CALLERS: Record<string, Caller> = {
    ...{ ...DEED_CALLERS, ...LIST_CALLERS },
    'POST /api/v1/push': 'integration',
    'GET /api/v1/pushes/:request_id': 'integration',
    'GET /api/v1/records/:type': 'integration',
    'GET /api/v1/check': 'integration',
    'GET /api/v1/channels/:channel_slug/feed': 'channel',
    'POST /api/v1/channels/:channel_slug/feed/confirm': 'channel',
    'GET /api/v1/channels/:channel_slug/digest': 'channel',
    'POST /api/v1/channels/:channel_slug/digest': 'channel',
    'POST /api/v1/channels/:channel_slug/deletions': 'channel',
    'GET /api/v1/channels/:channel_slug/production': 'channel',
    'GET /api/v1/channels/:channel_slug/elevators': 'channel',
    'GET /api/v1/channels/:channel_slug/subscriptions': 'channel',
    'GET /sharing': 'visitor',
    'GET /sharing/phone': 'sharer',
    'POST /sharing/phone': 'sharer',
    'GET /sharing/code': 'sharer',
    'POST /sharing/code': 'sharer',
    'GET /sharing/customers': 'sharer',
    'POST /sharing/customers': 'sharer',
    'GET /sharing/copy': 'sharer',
    'POST /sharing/copy': 'sharer',
    'GET /sharing/sign-out': 'visitor',
    'POST /sharing/sign-out': 'visitor',
    'GET /sharing/copy/page': 'sharer',
    'GET /sharing/copy/table': 'sharer',
    'GET /sharing/copy/production': 'sharer',
    'GET /sharing/copy/loads': 'sharer',
    'GET /sharing/copy/file': 'sharer',
    'GET /subscriptions': 'visitor',
    'GET /subscriptions/phone': 'farmer',
    'POST /subscriptions/phone': 'farmer',
    'GET /subscriptions/code': 'farmer',
    'POST /subscriptions/code': 'farmer',
    'GET /subscriptions/accounts': 'farmer',
    'POST /subscriptions/accounts': 'farmer',
    'GET /subscriptions/check': 'farmer',
    'POST /subscriptions/check': 'farmer',
    'GET /subscriptions/done': 'farmer',
    'POST /subscriptions/done': 'farmer',
    'GET /subscriptions/cancelled': 'farmer',
    'POST /subscriptions/cancelled': 'farmer',
    'GET /subscriptions/leave': 'farmer',
    'GET /subscriptions/sign-out': 'visitor',
    'POST /subscriptions/sign-out': 'visitor',
    'GET /subscriptions/receipt': 'farmer',
    'GET /ops/sign-in': 'signing-in',
    'POST /ops/sign-in': 'signing-in',
    'GET /ops/sign-in/provider': 'signing-in',
    'GET /ops/sign-in/from-provider': 'signing-in',
    'POST /ops/sign-out': 'operator',
    'GET /ops': 'operator',
    'GET /ops/channels/:channel_slug': 'operator',
    'GET /customer/sign-in': 'customer-signing-in',
    'POST /customer/sign-in': 'customer-signing-in',
    'POST /customer/sign-out': 'customer',
    'GET /customer': 'customer',
    'GET /customer/production': 'customer',
    'GET /livez': 'anyone',
    'GET /readyz': 'anyone',
    'GET /.well-known/security.txt': 'anyone',
    'GET /openapi.json': 'anyone',
    'GET /docs': 'anyone',
    'GET /docs/:file': 'anyone',
    'GET /downloads/:download': 'anyone',
    'GET /guide': 'anyone',
    'GET /guide.md': 'anyone',
    'GET /guide/:page': 'anyone',
    'GET /guide/samples/:sample': 'anyone',
    'GET /guide/samples/postgres-receiver/:part': 'anyone',
    'GET /guide/images/customer/:image': 'anyone',
    'GET /llms.txt': 'anyone',
    'GET /llms-full.txt': 'anyone',
  };

  /** What a path names: `ours` belongs to the tenant under attack. */
  const PARAMETERS: Record<string, string> = {
    channel_slug: 'ours',
    entity_type: 'accounts',
    type: 'accounts',
    request_id: 'our-push',
    file: 'swagger-ui.css',
    download: 'gdx.mjs.sha256',
    page: 'erp',
    sample: 'receiver.mjs',
    part: 'main.mjs',
    image: '1-channel.png',
  };

  const nameOf = ({ method, path }: Route) => `${method} ${path}`;
  const routes = ROUTES.map((route) => [nameOf(route), route] as const);

  /** Every caller, by the headers they send. */
  type Principal =
    | 'nobody'
    | 'our ERP'
    | 'their ERP'
    | 'our customer'
    | 'their customer'
    | 'our farmer'
    | 'their farmer';
  let headersOf: Record<Principal, Record<string, string>>;

  const link = (slug: string) =>
    `/subscriptions?${new URLSearchParams({
      callback_url: 'https://acme.example/',
      display_name: 'Acme',
      partner_id: 'policy-7',
      partner_slug: slug,
      phone: '7015550142',
    })}`;

  async function openVisit(slug: string): Promise<Record<string, string>> {
    const { headers } = await api.ask('GET', link(slug));
    return { cookie: String([headers['set-cookie']].flat()[0]).split(';')[0]! };
  }

  beforeAll(async () => {
    api = await startApi({ limits: { failedAuthenticationsPerMinute: 1e9 } });
    const bearer = (authorization: string) => ({ authorization });
    const origins = { scope: 'subscribed' as const, callback_origins: ['https://acme.example'] };
    headersOf = {
      nobody: {},
      'our ERP': bearer(await integrationToken(api.store)),
      'their ERP': bearer(await integrationToken(api.store, { id: '43', name: 'Valley Grain' })),
      'our customer': bearer(await channelKey(api.store, 'ours', origins)),
      'their customer': bearer(await channelKey(api.store, 'theirs', origins)),
      'our farmer': await openVisit('ours'),
      'their farmer': await openVisit('theirs'),
    };
    const headers = headersOf['our ERP'];
    await api.ask('POST', '/api/v1/push', {
      headers: { ...headers, 'x-request-id': 'our-push' },
      body: pushOf([{ ...accounts(1)[0], name: 'Secret Farms' }]),
    });
  });

  function askAs(principal: Principal, route: Route, parameters = PARAMETERS): Promise<ApiAnswer> {
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? unknown(name));
    const form = !['integration', 'channel'].includes(route.caller);
    const type = { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' };
    const body = form
      ? 'csrf=guess&account=42-1001&code=000000&phone=7015550142'
      : JSON.stringify(pushOf(accounts(1)));
    const posted = route.method === 'POST' ? { body } : {};
    return api.ask(route.method, path, { headers: { ...type, ...headersOf[principal] }, ...posted });
  }

  const unknown = (name: string): never => {
    throw new Error(`the matrix does not know :${name} yet`);
  };

  test('every route stands in the matrix with who may call it', () => {
    expect(Object.fromEntries(ROUTES.map((route) => [nameOf(route), route.caller]))).toEqual(CALLERS);
  });

  const principals = (but: Principal[]) =>
    (Object.keys(headersOf) as Principal[]).filter((principal) => !but.includes(principal));

  describe.each(routes.filter(([, { caller }]) => caller === 'integration'))('%s', (_, route) => {
    test('401 for everybody but an ERP; an ERP reads and writes what is its own only', async () => {
      const before = await storedOf(api.store);
      for (const principal of principals(['our ERP', 'their ERP'])) {
        expectError(await askAs(principal, route), 401, 'UNAUTHENTICATED');
      }
      expect(await storedOf(api.store)).toEqual(before);
      const ours = () => api.store.db.collection('accounts').find({ company_id: '42' }).toArray();
      const stored = await ours();
      const theirs = await askAs('their ERP', route);
      expect(await ours()).toEqual(stored);
      if (route.path === '/api/v1/records/:type') {
        const own = await api.store.db.collection('accounts').find({ company_id: '43' }).toArray();
        const dates = own.map(({ updated_at }) => (updated_at as Date).toISOString());
        return expect(theirs.json.records.map(({ updated_at }: Held) => updated_at)).toEqual(dates);
      }
      if (route.path === '/api/v1/check') {
        const { accounts: checked } = JSON.parse(theirs.text).checked;
        return expect(checked).toBe(
          await api.store.db.collection('accounts').countDocuments({ company_id: '43' }),
        );
      }
      if (route.method === 'GET') return expectError(theirs, 404, 'NOT_FOUND');
      expect(theirs.status).toBe(204);
      expect(await api.store.db.collection('accounts').countDocuments({ company_id: '43' })).toBe(1);
    });
  });

  describe.each(routes.filter(([, { caller }]) => caller === 'channel'))('%s', (_, route) => {
    test('401 for everybody but a customer; another customer’s looks like one that is not there', async () => {
      const before = await storedOf(api.store);
      for (const principal of principals(['our customer', 'their customer'])) {
        expectError(await askAs(principal, route), 401, 'UNAUTHENTICATED');
      }
      const foreign = await askAs('their customer', route);
      const missing = await askAs('their customer', route, { ...PARAMETERS, channel_slug: 'nowhere' });
      for (const answer of [foreign, missing]) expectError(answer, 404, 'NOT_FOUND');
      expect(foreign.json.message).toContain('no channel of this name');
      expect(foreign.json.message).toBe(missing.json.message);
      expect([401, 404]).not.toContain((await askAs('our customer', route)).status);
      expect(await storedOf(api.store)).toEqual(before);
    });
  });

  describe.each(routes.filter(([, { caller }]) => caller === 'farmer' || caller === 'sharer'))(
    '%s',
    (_, route) => {
      test('no account and no name of ours for anybody without a code of ours', async () => {
        for (const principal of principals([])) {
          const answer = await askAs(principal, route);
          expect(answer.text).not.toMatch(/Secret Farms|42-1001/);
          const isFarmer = principal.endsWith('farmer');
          // A visit of a link is none to the pages of `/sharing`.
          if (route.method === 'POST')
            expect(['over', 'stale']).toContain(leftError(answer.headers['set-cookie'])?.kind);
          else if (!isFarmer || route.caller === 'sharer')
            expect([principal, answer.status]).toEqual([principal, 403]);
          else expect([200, 303, 403]).toContain(answer.status);
        }
        expect(await api.store.db.collection('subscriptions').countDocuments()).toBe(0);
        expect(await api.store.db.collection('consents').countDocuments()).toBe(0);
      });
    },
  );

  describe.each(routes.filter(([, { caller }]) => /operator|customer|signing-in/.test(caller)))(
    '%s',
    (_, route) => {
      test('nothing is shown to, or done for, anybody who has not signed in', async () => {
        const before = await storedOf(api.store);
        for (const principal of principals([])) {
          const answer = await askAs(principal, route);
          const isAsked = route.caller.endsWith('signing-in') && route.method === 'GET';
          const asked = route.path.includes('provider') ? [404] : [200]; // there is none here
          expect(isAsked ? asked : [303, 401, 403]).toContain(answer.status);
          expect(answer.text).not.toMatch(/Secret Farms|Acme Crop Insurance/);
        }
        expect(await storedOf(api.store)).toEqual(before);
      });
    },
  );

  const opening = routes.filter(([name, { caller }]) => caller === 'visitor' && !name.endsWith('/sign-out'));
  describe.each(opening)('%s', (_, route) => {
    test('a link opens a visit of its own, whoever follows it', async () => {
      const cookies = new Set<string>();
      for (const principal of principals([])) {
        const path = route.path === '/subscriptions' ? link('ours') : route.path;
        const { status, headers } = await api.ask(route.method, path, {
          headers: headersOf[principal],
        });
        expect(status).toBe(303);
        cookies.add(String(headers['set-cookie']));
      }
      expect(cookies.size).toBe(principals([]).length);
    });
  });

  describe.each(routes.filter(([, { caller }]) => caller === 'anyone'))('%s', (_, route) => {
    test('the same for everybody, and nothing of any tenant', async () => {
      for (const principal of principals([])) {
        const answer = await askAs(principal, route);
        expect(answer.status).toBe(200);
        expect(answer.text).not.toMatch(/Secret Farms|Valley Grain|gdx_(erp|channel)_[0-9A-Za-z]{36}/);
      }
    });
  });
});

describe('corpus', () => {
  const THEMES = { tokens, addresses, headers, bodies, envelope, RECORD_CASES, markers, farmerLinks };

  let keys: { erp: string; channel: string };
  let times: number[];

  beforeAll(async () => {
    const unlimited = { failedAuthenticationsPerMinute: 1e9, requestsPerMinute: 1e9, visitsPerMinute: 1e9 };
    api = await startApi({ limits: unlimited });
    keys = {
      erp: await integrationToken(api.store),
      channel: await channelKey(api.store, 'acme', {
        scope: 'subscribed',
        callback_origins: ['https://acme.example'],
      }),
    };
    await channelKey(api.store, 'other');
    times = [];
  });

  /** By Node's own client, which sends paths and headers as they are. */
  async function send(input: BadInput) {
    const { method = 'POST', path = PUSH, as = 'erp', body } = input;
    const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
    const request = http.request({
      port: api.port,
      method,
      path,
      headers: {
        ...(as === 'nobody' ? {} : { authorization: keys[as] }),
        ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(bytes ?? ''),
        ...input.headers,
      },
    });
    request.on('error', () => undefined); // the answer may come before everything is sent
    request.end(bytes);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const answered = await text(response);
    return { status: response.statusCode, headers: response.headers, text: answered };
  }

  function expectRefusal(input: BadInput, answer: Awaited<ReturnType<typeof send>>): void {
    const { code, fields, allow } = input;
    expect(answer.status).toBe(input.status);
    if (allow) expect(answer.headers.allow).toBe(allow);
    if (input.method === 'HEAD') return expect(answer.text).toBe('');
    expect(answer.text).not.toMatch(/node_modules|\bat .*\.[jt]s:|Mongo|Error:/);
    if (answer.status === 303) return expect(leftError(answer.headers['set-cookie'])).toBeDefined();
    if (code === 'PAGE') return expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    const { message, request_id, ...rest } = JSON.parse(answer.text) as Record<string, unknown>;
    const found = Object.keys((rest['validation_messages'] as object | undefined) ?? {}).sort();
    expect({ ...rest, ...(fields && { validation_messages: found }) }).toEqual({
      code,
      ...(fields && { validation_messages: [...fields].sort() }),
    });
    expect(message).toMatch(/\w/);
    expect([request_id, answer.headers['content-type']]).toEqual([
      answer.headers['x-request-id'],
      'application/json',
    ]);
    if (answer.status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
  }

  slowTest.each(Object.entries(THEMES))(
    '%s: each is refused in time, and nothing is written',
    async (_, inputs) => {
      const before = await storedOf(api.store);
      const wrong: string[] = [];
      for (const input of inputs) wrong.push(...(await play(input)));
      expect(wrong).toEqual([]);
      expect(await storedOf(api.store)).toEqual(before);
    },
  );

  /** What is wrong with the answer to an input. */
  async function play(input: BadInput): Promise<string[]> {
    const { result: answer, cpuMs } = await withCpuTime(() => send(input));
    times.push(cpuMs);
    try {
      expectRefusal(input, answer);
      expect(cpuMs).toBeLessThan(MOST_CPU_MS);
      return [];
    } catch (error) {
      return [`${input.name}: ${(error as Error).message}`];
    }
  }

  slowTest('at least 350 named inputs were tried, no two of one name', () => {
    const all = Object.values(THEMES).flat();
    const names = all.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(times.length).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(350);
    console.log(`${all.length} bad inputs, the dearest took ${Math.round(Math.max(...times))} ms of CPU`);
  });

  test('all of them got their answer for what is wrong with them: a good push is stored', async () => {
    const body = { data: [{ 'update-accounts': { accounts: [{ id: '1', name: 'Meyer Farms' }] } }] };
    expect((await send({ name: 'good', body, status: 204, code: 'PAGE' })).status).toBe(204);
  });
});
