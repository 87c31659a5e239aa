import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServiceClient } from '../../cli/service/service-client';

let answer: RequestListener;
let asked: string[];
const server = createServer((request, response) => {
  asked.push(`${request.headers.host} ${request.method}`);
  request.resume();
  answer(request, response);
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
});

const port = () => (server.address() as AddressInfo).port;

class Waits extends Error {
  constructor(readonly waitMs: number) {
    super('it would wait');
  }
}

function client() {
  const onWait = (_why: string, waitMs: number) => {
    throw new Waits(waitMs);
  };
  return createServiceClient({
    url: `http://127.0.0.1:${port()}`,
    token: 't',
    retryForMs: undefined,
    onWait,
  });
}

/** How long it would wait before it asks again; undefined where it takes the answer. */
async function waitAfter(status: number, retryAfter: string): Promise<number | undefined> {
  answer = (_, response) => response.writeHead(status, { 'retry-after': retryAfter }).end();
  const ended = await client()('/').catch((error: unknown) => error);
  return ended instanceof Waits ? ended.waitMs : undefined;
}

test.each([408, 425, 429, 500, 503])('after %i it asks again, when it is told to', async (status) => {
  expect(await waitAfter(status, '7')).toBe(7_000);
});

test('it waits a minute at most', async () => expect(await waitAfter(503, '3600')).toBe(60_000));

test.each([401, 404, 409, 422])('%i is an answer', async (status) => {
  expect(await waitAfter(status, '7')).toBeUndefined();
});

test.each([301, 307, 308])('what is sent goes nowhere else, though %i asks for it', async (status) => {
  answer = (_, response) => response.writeHead(status, { location: `http://localhost:${port()}/` }).end();
  const { status: seen } = await client()('/', { method: 'POST', body: '{}' });
  expect([seen, asked]).toEqual([status, [`127.0.0.1:${port()} POST`]]);
});
