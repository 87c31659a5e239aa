import { createHmac } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { answerWithin } from '../../outbound/answer-within';
import type { CustomerAgent } from '../../outbound/create-agent';
import { HostLimiter, MAX_PAGES_PER_HOST } from '../../outbound/host-limiter';
import { excerpt, sendPage } from '../../outbound/send-page';
import { signPage, webhookId } from '../../outbound/sign-page';
import { type Channel, openSecrets } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { loopbackAgent } from '../setup/loopback-agent';
import { openStore } from '../setup/open-store';
import { type Behaviour, OddCustomer } from './odd-customer';

describe('send-page', () => {
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
    const added = await addTestChannel(store, slug, baseUrl, {
      authorization: 'Basic c2VjcmV0',
      headers: [{ name: 'X-Api-Key', value: 'their-gateway' }],
    });
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

  it('says what it is: the entity type, the channel, the delivery and the request', async () => {
    const { headers } = await send('named', {}, 204);
    const own = Object.entries(headers).filter(([name]) => name.startsWith('x-'));
    expect(Object.fromEntries(own)).toEqual({
      'x-entity-type': 'tickets',
      'x-channel-slug': 'named',
      'x-delivery-id': ORIGIN.delivery,
      'x-request-id': ORIGIN.requestId,
      'x-feed-epoch': '1',
    });
  });

  it('carries the headers that the customer wants, which stand nowhere in the clear', async () => {
    const { headers, answer } = await send('own', {}, 400, (seen) => /x-api-key: (.*)/i.exec(seen)![1]!);
    expect(headers).toMatchObject({ 'X-Api-Key': 'their-gateway', authorization: 'Basic c2VjcmV0' });
    expect(answer).toMatchObject({ excerpt: '***' });
    expect(JSON.stringify(await store.db.collection('channels').find().toArray())).not.toContain('gateway');
  });

  it('an answer that is nothing but our authorization is kept as three stars', async () => {
    const { answer } = await send('parrot', {}, 400, (seen) => /authorization: (.*)/i.exec(seen)![1]!);
    expect(answer).toMatchObject({ status: 400, excerpt: '***' });
  });

  function signature(secret: string, signed: Buffer): string {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return createHmac('sha256', key).update(signed).digest('base64');
  }
});

// The headers and body of a Standard Webhooks 1.0.0 message.
describe('sign-page', () => {
  const BODY = Buffer.from('{"data":[]}');
  const SCOPE = { channel: 'acme', entityType: 'tickets', generation: 1, account: undefined };
  const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

  test('with two secrets, each has its signature: either one opens while they are exchanged', async () => {
    const signers = { signingSecrets: [secretOf(1), secretOf(2)] };
    const headers = await signPage('msg_1', BODY, signers, new Date());
    for (const secret of [secretOf(1), secretOf(2)])
      expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(secretOf(3)).verify(BODY, headers)).toThrow();
  });

  test('a signature holds for its id and its time alone', async () => {
    const headers = await signPage('msg_1', BODY, { signingSecrets: [secretOf(1)] }, new Date());
    const verify = (changed: object) => () =>
      new Webhook(secretOf(1)).verify(BODY, { ...headers, ...changed });
    expect(verify({})).not.toThrow();
    expect(verify({ 'webhook-id': 'msg_2' })).toThrow();
    expect(verify({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) })).toThrow();
  });

  test('the id of a page tells apart whose it is, the pages of a reset, and what is shared; the same page keeps it', () => {
    const others = [
      {},
      { channel: 'bison' },
      { entityType: 'accounts' },
      { generation: 2 },
      { account: '42-1001' },
      { shares: 1 },
    ];
    const ids = others.map((other) => webhookId({ ...SCOPE, ...other }, BODY));
    expect(new Set([...ids, webhookId(SCOPE, Buffer.from('{}'))]).size).toBe(7);
    expect(webhookId(SCOPE, BODY)).toBe(ids[0]);
  });
});

describe('answer-within', () => {
  test('no answer in time is the customer’s, and says how long was waited', async () => {
    const hanging = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    expect(await answerWithin(50, hanging)).toEqual({
      status: null,
      problem: 'timeout',
      detail: 'did not answer within 0.05 s',
    });
  });

  test('a mistake of ours is not told as theirs', async () => {
    await expect(answerWithin(60_000, () => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours');
  });
});

describe('excerpt', () => {
  const KEY = 'sk_live_9f8e7d6c';
  const PAIR = Buffer.from(`gdx:${KEY}`).toString('base64');

  test.each([
    ['the whole header', `Bearer ${KEY}`, `what is "Bearer ${KEY}"?`],
    ['the key of it', `Bearer ${KEY}`, `invalid token ${KEY}`],
    ['what Basic encodes', `Basic ${PAIR}`, `no user gdx:${KEY}`],
    ['the password of that', `Basic ${PAIR}`, `password ${KEY} is wrong`],
    ['the encoded pair', `Basic ${PAIR}`, `cannot read ${PAIR}`],
    ['the password of a scheme in lower case', `basic ${PAIR}`, `password ${KEY} is wrong`],
  ])('an answer that gives back %s is kept without it', (_, authorization, answer) => {
    const kept = excerpt(answer, [authorization, undefined]);
    expect(kept).toContain('***');
    expect(kept).not.toContain(KEY);
    expect(kept).not.toContain(PAIR);
  });

  test('a key of eight characters counts as one', () => {
    expect(excerpt('invalid token korn7mai', ['Bearer korn7mai'])).toBe('invalid token ***');
  });

  test('nor is the half of a key that stands before the end of what is kept', () => {
    const kept = excerpt(`${'x'.repeat(500)} ${KEY}`, [KEY]);
    expect(kept).toBe(`${'x'.repeat(500)} ***`);
  });

  test('a password that is shorter than any secret of ours is not kept either', () => {
    const authorization = `Basic ${Buffer.from('gdx:korn7').toString('base64')}`;
    expect(excerpt('password korn7 is wrong', [authorization])).toBe('password *** is wrong');
  });

  test('nor does it keep a phone, or a token of ours', () => {
    const kept = excerpt('account 42-1001 of (701) 555-0142, key gdx_channel_abc123', []);
    expect(kept).toBe('account 42-1001 of …42, key gdx_channel_…');
  });
});

describe('host-limiter', () => {
  const HOST = 'acme.example';

  /** Takes this many slots. @returns what gives each of them back */
  const busy = (limiter: HostLimiter, many = MAX_PAGES_PER_HOST) =>
    Promise.all(Array.from({ length: many }, async () => (await limiter.take(HOST, 'acme'))!));

  test('one host has so many slots; another has its own', async () => {
    const limiter = new HostLimiter(20);
    const [release] = await busy(limiter);
    expect(await limiter.take(HOST, 'acme')).toBeUndefined();
    expect(await limiter.take('bank.example', 'bank')).toBeDefined();
    release!();
    expect(await limiter.take(HOST, 'acme')).toBeDefined();
  });

  test('the limit holds while pages come and go', async () => {
    const limiter = new HostLimiter(20);
    const [release] = await busy(limiter);
    release!();
    await busy(limiter, 1);
    expect(await limiter.take(HOST, 'acme')).toBeUndefined();
  });

  test('who waits comes next, in order', async () => {
    const limiter = new HostLimiter(60_000);
    const working = await busy(limiter);
    const order: number[] = [];
    const waiting = [1, 2].map((number) => limiter.take(HOST, `c${number}`).then(() => order.push(number)));
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    for (const release of working) release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
  });

  test('a channel with pages of its own at the host lets one without go first', async () => {
    const limiter = new HostLimiter(60_000);
    const working = await busy(limiter);
    const order: string[] = [];
    const waiting = ['acme', 'bank', 'bank', 'union'].map((channel) =>
      limiter.take(HOST, channel).then(() => order.push(channel)),
    );
    await new Promise(setImmediate);
    for (const release of working) release();
    await Promise.all(waiting);
    expect(order).toEqual(['bank', 'union', 'bank', 'acme']);
  });

  test('what was given back, or waited for in vain, counts no longer', async () => {
    const limiter = new HostLimiter(20);
    const others = await Promise.all(['a', 'b', 'c', 'd'].map((one) => limiter.take(HOST, one)));
    const own = await busy(limiter, MAX_PAGES_PER_HOST - others.length);
    expect(await limiter.take(HOST, 'acme')).toBeUndefined();
    for (const release of own) release();
    const full = await Promise.all(['e', 'e', 'e', 'e'].map((one) => limiter.take(HOST, one)));
    const order: string[] = [];
    const waiting = ['acme', 'f'].map((one) => limiter.take(HOST, one).then(() => order.push(one)));
    for (const release of full) release!();
    await Promise.all(waiting);
    expect(order).toEqual(['acme', 'f']);
  });

  test('who waited in vain holds no slot when one becomes free', async () => {
    const limiter = new HostLimiter(20);
    const working = await busy(limiter);
    expect(await limiter.take(HOST, 'acme')).toBeUndefined();
    for (const release of working) release();
    for (const release of await busy(limiter)) expect(release).toBeDefined();
  });
});
