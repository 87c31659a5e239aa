import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ELEVATOR } from '../../api/openapi/examples';
import { ROUTES } from '../../api/routes';
import { COMMANDS } from '../../domain/records/commands';
import { addIntegration } from '../../store/callers/integrations';
import { setAccess } from '../../store/channels/set-access';
import { Random } from '../../tools/sample/random';
import { MOST_CPU_MS, withCpuTime } from '../api/cpu-time';
import { accounts, channelKey, integrationToken, pushOf, startApi, type Api } from '../api/start-api';
import { cases, scaledTest } from '../setup/cases';
import { collectGarbage } from '../setup/collect-garbage';
import { requestFor, type FuzzRequest } from './requests';
import { spellHeaders } from './spell-header';

// The suite tries the same ones each time. `npm run proof -- fuzz` tries 5,000 others; GDX_SEED plays them again.
const { GDX_FUZZ_INPUTS: MANY } = process.env;
const INPUTS = Number(MANY ?? cases(15, 150));
const SEED = process.env.GDX_SEED ?? (MANY ? String(Date.now() % 1_000_000) : '20261121');

const HEAP_GROWTH_MB = 15;
const REFUSALS = [400, 401, 404, 409, 413, 415, 422];
const JSON_ROUTES = ROUTES.filter(({ caller }) => caller === 'integration' || caller === 'channel');

let api: Api;
let keys: Record<string, string>;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  api = await startApi({
    limits: { requestsPerMinute: 1e9, requestsOfAddressPerMinute: 1e9 },
    farmer: { trustedProxies: 1 },
  });
  keys = { integration: await integrationToken(api.store), channel: await channelKey(api.store, 'acme') };
  await channelKey(api.store, 'other');
  await meetBadRecords();
  await pushAs('same');
});

/** Again where a kept connection was closed just then, as Node advises: this process may have stood still for seconds. */
async function send(...question: Parameters<typeof ask>): ReturnType<typeof ask> {
  return ask(...question).catch((error: NodeJS.ErrnoException & { reused?: boolean }) => {
    if (error.code === 'ECONNRESET' && error.reused) return ask(...question);
    throw error;
  });
}

async function ask(method: string, authorization: string, { path, headers, body }: FuzzRequest) {
  const length = { 'content-length': body?.length ?? 0 };
  const request = http.request({
    port: api.port,
    agent,
    method,
    path,
    headers: { authorization, ...length, ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response').catch((error: Error) => {
    throw Object.assign(error, { reused: request.reusedSocket });
  })) as [http.IncomingMessage];
  const answer = await text(response);
  return { status: response.statusCode!, headers: response.headers, answer };
}

/** What `GET /api/v1/pushes/same` finds, whatever the pushes of this file were answered. */
async function pushAs(id: string): Promise<void> {
  const body = { data: [{ 'update-elevators': { elevators: [ELEVATOR] } }] };
  const question = { token: keys['integration']!, headers: { 'x-request-id': id }, body };
  expect((await api.ask('POST', '/api/v1/push', question)).status).toBe(204);
}

/** The validators that say what is wrong are compiled when the first bad record comes, once a process. */
async function meetBadRecords(): Promise<void> {
  const data = COMMANDS.map(({ name, recordType }) => ({ [name]: { [recordType]: [{}] } }));
  expect(
    (await api.ask('POST', '/api/v1/push', { token: keys['integration']!, body: { data } })).status,
  ).toBe(422);
}

/** What a refused request must not have changed. */
async function written(): Promise<unknown> {
  const { db } = api.store;
  const [counters, receipts, elevators, markers] = await Promise.all([
    db.collection('counters').find().toArray(),
    db.collection('push_receipts').countDocuments(),
    db.collection('elevators').countDocuments(),
    db.collection('markers').find().toArray(),
  ]);
  return { counters, receipts, elevators, markers };
}

function heapMegabytes(): number {
  api.lines.length = 0;
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

scaledTest.each(JSON_ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  `%s: ${INPUTS} generated requests of seed ${SEED}`,
  async (name, route) => {
    const random = new Random(`${SEED} ${name}`);
    const tally: Record<number, number> = {};
    let slowest = 0;
    let heap = 0;
    let before = await written();
    for (let count = 0; count < INPUTS; count++) {
      if (count === Math.floor(INPUTS / 5)) heap = heapMegabytes();
      // More resets a minute than a customer may make.
      if (count % 20 === 0) await api.store.db.collection('attempt_counts').deleteMany({});
      const request = requestFor(route, random);
      const { result, cpuMs } = await withCpuTime(() => send(route.method, keys[route.caller]!, request));
      const { status, headers, answer } = result;
      tally[status] = (tally[status] ?? 0) + 1;
      const shown = { seed: SEED, count, ...request, body: request.body?.toString('latin1').slice(0, 500) };
      if (status !== 204) JSON.parse(answer);
      if (status === 200 || status === 204) {
        before = await written();
        continue;
      }
      expect({ ...shown, status, known: REFUSALS.includes(status) }).toEqual({
        ...shown,
        status,
        known: true,
      });
      expect(JSON.parse(answer)).toMatchObject({
        code: expect.any(String),
        request_id: headers['x-request-id'],
      });
      expect({ ...shown, written: await written() }).toEqual({ ...shown, written: before });
      expect({ ...shown, fast: cpuMs < MOST_CPU_MS }).toEqual({ ...shown, fast: true });
      slowest = Math.max(slowest, cpuMs);
    }
    const growth = heapMegabytes() - heap;
    console.log(
      `${name}\n${JSON.stringify(tally)}, the dearest ${slowest.toFixed(0)} ms of CPU, heap +${growth.toFixed(1)} MB`,
    );
    expect(growth).toBeLessThan(HEAP_GROWTH_MB);
    // Both good ones and bad ones were among them, but where a request says nothing that could be wrong.
    expect(Object.keys(tally).length).toBeGreaterThan(name === 'GET /api/v1/check' ? 0 : 1);
  },
  60_000 + INPUTS * 400,
);

const CALLERS = ['203.0.113.7', '2001:db8::7'];

scaledTest(
  `a good push is taken, however its headers are written: ${INPUTS} of seed ${SEED}`,
  async () => {
    const random = new Random(`${SEED} headers`);
    const company = { id: '43', name: 'Prairie Co-op' };
    const { token, integration } = await addIntegration(api.store, { name: 'ERP', company });
    await setAccess(api.store, integration._id, { addresses: ['203.0.113.0/24', '2001:db8::/32'] });
    const plain = Buffer.from(JSON.stringify(pushOf(accounts(1))));
    for (let count = 0; count < INPUTS; count++) {
      const isPacked = random.chance(0.5);
      const id = `spelled-${count}`;
      const headers = spellHeaders(
        {
          authorization: token,
          'content-type': 'application/json',
          'content-encoding': isPacked ? 'gzip' : 'identity',
          'x-request-id': id,
          'x-forwarded-for': random.pick(CALLERS),
        },
        random,
      );
      const body = isPacked ? gzipSync(plain) : plain;
      const answer = await send('POST', token, { path: '/api/v1/push', headers, body });
      const seen = { status: answer.status, id: answer.headers['x-request-id'] };
      expect({ headers, ...seen }).toEqual({ headers, status: 204, id });
    }
  },
  60_000 + INPUTS * 100,
);
