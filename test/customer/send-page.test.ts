import { createHmac } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import type { CustomerAgent } from '../../activities/customer/create-agent';
import { sendPage } from '../../activities/customer/send-page';
import { webhookId } from '../../activities/customer/sign-page';
import type { Channel } from '../../store/channels';
import { closeStore, type Store } from '../../store/connect';
import { addTestChannel } from '../setup/add-test-channel';
import { loopbackAgent } from '../setup/loopback-agent';
import { openStore } from '../setup/open-store';
import { type Behaviour, OddCustomer } from './odd-customer';

const BODY = Buffer.from(JSON.stringify({ data: [{ ticket: { id: '42-T-1' } }] }));
const ORIGIN = {
  requestId: 'request-1',
  delivery: 'delivery/acme/tickets/1',
  entityType: 'tickets',
  generation: 1,
  epoch: 1,
} as const;

let store: Store;
let agent: CustomerAgent;

beforeAll(async () => {
  store = await openStore();
  agent = loopbackAgent();
});

afterAll(async () => {
  await agent.destroy();
  await closeStore(store);
});

/** Sends the page to a customer that answers with the request it got, and the status. */
async function send(slug: string, change: Partial<Channel>, status: number, trailer = '') {
  let seen = Buffer.alloc(0);
  const behave: Behaviour = (socket) =>
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      setTimeout(() => socket.end(`HTTP/1.1 ${status} X\r\n\r\n${trailer}${seen.toString('latin1')}`), 50);
    });
  const customer = await OddCustomer.start(behave);
  const baseUrl = new URL(customer.url).origin;
  const added = await addTestChannel(store, slug, baseUrl, { authorization: 'Basic c2VjcmV0' });
  const { signal } = new AbortController();
  const channel = { ...added.channel, ...change };
  const answer = await sendPage({ store, agent, signal, mayRepeat: async () => true }, channel, BODY, {
    ...ORIGIN,
    account: undefined,
  });
  await customer.stop();
  const split = seen.indexOf('\r\n\r\n');
  const lines = seen.subarray(0, split).toString().split('\r\n').slice(1);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { answer, headers, body: seen.subarray(split + 4), secret: added.signingSecret };
}

it('a packed page keeps the id of its records', async () => {
  const packed = await send('packed', { gzip: true }, 204);
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'application/json',
    'webhook-id': webhookId({ channel: 'packed', ...ORIGIN, account: undefined }, BODY),
  });
  expect(gunzipSync(packed.body)).toEqual(BODY);
  expect((await send('plain', {}, 204)).headers).not.toHaveProperty('content-encoding');
});

it.each([false, true])('the signature holds over the exact bytes (gzip: %s)', async (gzip) => {
  const { headers, body, secret } = await send(`signed-${gzip}`, { gzip }, 204);
  const [id, at] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
  const expected = signature(secret, Buffer.concat([Buffer.from(`${id}.${at}.`), body]));
  expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  if (!gzip) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
});

it('an answer that gives our secrets back is kept without them, however it is cut', async () => {
  const { answer, secret } = await send('echo', {}, 400, `${'x'.repeat(300)}\u001b[31m`);
  if (answer.status === null) throw new Error(answer.detail);
  expect(answer.excerpt).toContain('x'.repeat(300));
  expect(answer.excerpt).not.toMatch(/c2VjcmV0|\p{Cc}/u);
  expect(answer.excerpt).not.toContain(secret);
  expect(Buffer.byteLength(answer.excerpt)).toBeLessThanOrEqual(512);
});

function signature(secret: string, signed: Buffer): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
