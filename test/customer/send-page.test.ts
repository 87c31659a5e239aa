import { createHmac } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import type { CustomerAgent } from '../../customer/create-agent';
import { sendPage } from '../../customer/send-page';
import { webhookId } from '../../customer/sign-page';
import { type Channel, openSecrets } from '../../store/feed/channels';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
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
async function send(slug: string, change: Partial<Channel>, status: number, echo = (seen: string) => seen) {
  let seen = Buffer.alloc(0);
  const behave: Behaviour = (socket) =>
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      setTimeout(() => socket.end(`HTTP/1.1 ${status} X\r\n\r\n${echo(seen.toString('latin1'))}`), 50);
    });
  const customer = await OddCustomer.start(behave);
  const baseUrl = new URL(customer.url).origin;
  const added = await addTestChannel(store, slug, baseUrl, { authorization: 'Basic c2VjcmV0' });
  const { signal } = new AbortController();
  const secrets = await openSecrets(store, added.channel, new Date());
  const channel = { ...added.channel, ...change, ...secrets };
  const answer = await sendPage({ agent, signal, mayRepeat: async () => true }, channel, BODY, {
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
  const [v1, v1a] = (headers['webhook-signature'] ?? '').split(' ');
  expect([v1, v1a]).toEqual([`v1,${expected}`, expect.stringMatching(/^v1a,/)]);
  if (!gzip) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
});

it('an answer that gives our secrets back is kept without them, however it is cut', async () => {
  const { answer, secret } = await send('echo', {}, 400, (seen) => `${'x'.repeat(300)}\u001b[31m${seen}`);
  if (answer.status === null) throw new Error(answer.detail);
  expect(answer.excerpt).toContain('x'.repeat(300));
  expect(answer.excerpt).not.toMatch(/c2VjcmV0|\p{Cc}/u);
  expect(answer.excerpt).not.toContain(secret);
  expect(Buffer.byteLength(answer.excerpt)).toBeLessThanOrEqual(512);
});

it('an answer that is nothing but our authorization is kept as three stars', async () => {
  const { answer } = await send('parrot', {}, 400, (seen) => /authorization: (.*)/i.exec(seen)![1]!);
  expect(answer).toMatchObject({ status: 400, excerpt: '***' });
});

function signature(secret: string, signed: Buffer): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
