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
import { leastTime, SLOWEST_MS } from './least-time';
import { channelKey, integrationToken, startApi, type Api } from './start-api';
import { storedOf } from './stored-of';

const THEMES = { tokens, addresses, headers, bodies, envelope, RECORD_CASES, markers, farmerLinks };

let api: Api;
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
afterAll(() => api.stop());

/** By Node's own client, which sends paths and headers as they are. */
async function send(input: BadInput) {
  const { method = 'POST', path = PUSH, as = 'erp', body } = input;
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
  const began = performance.now();
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
  const ms = performance.now() - began;
  return { status: response.statusCode, headers: response.headers, text: answered, ms };
}

function expectRefusal(input: BadInput, answer: Awaited<ReturnType<typeof send>>): void {
  const { code, fields, allow } = input;
  expect(answer.status).toBe(input.status);
  if (allow) expect(answer.headers.allow).toBe(allow);
  if (input.method === 'HEAD') return expect(answer.text).toBe('');
  expect(answer.text).not.toMatch(/node_modules|\bat .*\.[jt]s:|Mongo|Error:/);
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

test.each(Object.entries(THEMES))(
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
  const answer = await send(input);
  const ms = await leastTime(answer.ms, async () => (await send(input)).ms);
  times.push(ms);
  try {
    expectRefusal(input, answer);
    expect(ms).toBeLessThan(SLOWEST_MS);
    return [];
  } catch (error) {
    return [`${input.name}: ${(error as Error).message}`];
  }
}

test('at least 350 named inputs were tried, no two of one name', () => {
  const all = Object.values(THEMES).flat();
  const names = all.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(times.length).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(350);
  console.log(`${all.length} bad inputs, the slowest took ${Math.round(Math.max(...times))} ms`);
});

test('all of them got their answer for what is wrong with them: a good push is stored', async () => {
  const body = { data: [{ 'update-accounts': { accounts: [{ id: '1', name: 'Meyer Farms' }] } }] };
  expect((await send({ name: 'good', body, status: 204, code: 'PAGE' })).status).toBe(204);
});
