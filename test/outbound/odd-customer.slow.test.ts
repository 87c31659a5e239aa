import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { type AgentSettings, type CustomerAgent, CUSTOMER_LIMITS } from '../../outbound/create-agent';
import { postPage } from '../../outbound/post-page';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { parseRetryAfter } from '../../domain/deliveries/retry-delay';
import type { Resolver } from '../../outbound/guarded-connector';
import { collectGarbage } from '../setup/collect-garbage';
import { eventually } from '../setup/eventually';
import { loopbackAgent } from '../setup/loopback-agent';
import { ODD_ANSWERS } from './odd-answers';
import { AUTHORITY, type Behaviour, OddCustomer, onRequest, pours, says } from './odd-customer';

// The defaults are 5 s, 30 s and 1 s.
const QUICK = { connectMs: 1_000, requestMs: 2_500, drainMs: 200 };
const SLACK_MS = 5_000; // of a busy machine
const PAGE = Buffer.from(
  JSON.stringify({ data: Array(20_000).fill({ ticket: { id: '42-1', net_weight: 52_340 } }) }),
);
const OK = says('HTTP/1.1 200 OK', 'content-length: 0', '', '');

let customer: OddCustomer | undefined;
let agent: CustomerAgent;

afterEach(() => void (customer = undefined));

/** @returns bytes by which the process held more at most; what has only not been collected yet does not count */
async function growthOf(run: () => Promise<unknown>): Promise<number> {
  const held = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, held())), 50);
  await run();
  clearInterval(watch);
  return Math.max(most, held()) - before;
}

async function post(url = customer?.url ?? '', body = PAGE, mayRepeat = true) {
  const started = performance.now();
  const { signal } = new AbortController();
  const answer = await postPage(agent, { url, headers: {}, body }, signal, async () => mayRepeat);
  await setTimeout(20); // undici counts a connection as free a moment after its answer
  return { answer, verdict: classifyAnswer(answer), ms: performance.now() - started };
}

const reset = (socket: Socket) => (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());

async function meet(
  behave: Behaviour,
  certificate?: Parameters<typeof OddCustomer.start>[1],
  settings: Partial<AgentSettings> = {},
) {
  customer = await OddCustomer.start(behave, certificate);
  agent = loopbackAgent({ limits: QUICK, ...settings });
  return customer;
}

it('has the limits of the delivery’s rules', () => {
  agent = loopbackAgent();
  expect(agent.limits).toEqual(CUSTOMER_LIMITS);
  expect(CUSTOMER_LIMITS).toEqual({
    connectMs: 5_000,
    requestMs: 30_000,
    headerBytes: 16_384,
    drainMs: 1_000,
    drainBytes: 65_536,
  });
});

it('an answer of 64 to 70 kB that ends its connection leaves the process alone, 100 times', async () => {
  await meet(ODD_ANSWERS['answers 64 to 70 kB and closes']!.does);
  for (let count = 0; count < 100; count++) {
    const { signal } = new AbortController();
    const page = { url: customer!.url, headers: {}, body: Buffer.from('{}') };
    expect(await postPage(agent, page, signal, async () => true)).toMatchObject({ status: 200 });
  }
});

describe('a customer that', () => {
  it.each(Object.entries(ODD_ANSWERS))('%s', async (_name, { does, failure, reason, ...more }) => {
    await meet(does);
    const { answer, verdict, ms } = await post();
    expect(verdict?.failure).toBe(failure);
    if (reason) expect(verdict?.reason).toEqual(expect.stringMatching(reason));
    if ('retryAfterMs' in more) {
      const asked = answer.status === null ? undefined : answer.retryAfter;
      expect(parseRetryAfter(asked, Date.now())).toBe(more.retryAfterMs);
    }
    expect(ms).toBeLessThan(QUICK.requestMs + QUICK.drainMs + SLACK_MS);
    expect(customer?.spoken).toBeLessThan(2); // on a fresh connection there is no second try at once
  });

  it.each(['answers 10 GB', 'refuses with 10 GB', 'never ends its status line'])(
    '%s costs 20 MB at most',
    async (name) => {
      await meet(ODD_ANSWERS[name]!.does);
      await post(); // what is loaded once is loaded now
      expect((await growthOf(post)) / 1024 ** 2).toBeLessThan(20);
    },
  );

  it('answers for ever is left after 64 KB, however much time there is', async () => {
    const patient = { ...QUICK, requestMs: 30_000, drainMs: 20_000 };
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n';
    await meet(pours(head, Buffer.alloc(64 * 1024), 1024 * 1024), undefined, { limits: patient });
    expect((await post()).ms).toBeLessThan(10_000);
  });

  it('confirms and trickles its body is left soon, however long a request may take', async () => {
    await meet(ODD_ANSWERS['trickles its body']!.does, undefined, {
      limits: { ...QUICK, requestMs: 60_000 },
    });
    expect((await post()).ms).toBeLessThan(QUICK.drainMs + SLACK_MS);
  });

  it.each(['trickles its body', 'answers 10 GB', 'answers 204 with a body', 'answers twice'])(
    '%s gets the next page too',
    async (name) => {
      await meet(ODD_ANSWERS[name]!.does);
      expect([(await post()).verdict, (await post()).verdict]).toEqual([undefined, undefined]);
    },
  );

  it('refuses connections', async () => {
    const { url } = await meet(OK);
    await customer?.stop();
    customer = undefined;
    expect((await post(url)).verdict).toMatchObject({
      failure: 'unavailable',
      reason: 'refused the connection',
    });
  });

  it('has a name that does not resolve', async () => {
    const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    agent = loopbackAgent({ limits: QUICK, resolver: (_name, _options, done) => done(error, []) });
    expect((await post('http://nowhere.example/feed')).verdict).toMatchObject({
      failure: 'unavailable',
      reason: 'has a name that does not resolve',
    });
  });

  it('has a name server that says nothing', async () => {
    agent = loopbackAgent({ limits: QUICK, resolver: () => {} });
    const { verdict, ms } = await post('http://nowhere.example/feed');
    expect(verdict).toMatchObject({
      failure: 'unavailable',
      reason: 'could not be reached within 1 s',
    });
    expect(ms).toBeLessThan(QUICK.connectMs + SLACK_MS);
  });
});

it('with a silent name server holds one look-up, however often it is tried', async () => {
  const asked: Parameters<Resolver>[2][] = [];
  agent = loopbackAgent({ limits: QUICK, resolver: (_name, _options, done) => void asked.push(done) });
  const tries = Array.from({ length: 4 }, () => post('http://nowhere.example/feed'));
  for (const { verdict } of await Promise.all(tries)) expect(verdict?.failure).toBe('unavailable');
  expect(asked).toHaveLength(1);
  asked[0]!(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  const next = post('http://nowhere.example/feed');
  await eventually(() => expect(asked).toHaveLength(2));
  asked[1]!(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  expect((await next).verdict?.reason).toBe('has a name that does not resolve');
});

// What waits for no limit has the usual ones.
describe('over TLS, a customer', () => {
  it('with a good certificate is confirmed', async () => {
    await meet(OK, 'good', { ca: AUTHORITY, limits: {} });
    expect((await post()).verdict).toBeUndefined();
  });

  it.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['other-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const)('with a certificate that is %s gets nothing', async (certificate, code) => {
    await meet(OK, certificate, { ca: AUTHORITY, limits: {} });
    expect((await post()).verdict).toMatchObject({
      failure: 'misconfigured',
      reason: `has a TLS certificate that is not valid (${code})`,
    });
    expect(customer?.bytes).toBe(0);
  });

  it('of an unknown authority gets nothing', async () => {
    await meet(OK, 'good');
    expect((await post()).verdict).toMatchObject({ failure: 'misconfigured' });
    expect(customer?.bytes).toBe(0);
  });

  it('that speaks plain text gets nothing but a greeting', async () => {
    const { port } = await meet((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
    );
    expect((await post(`https://127.0.0.1:${port}/feed`)).verdict).toMatchObject({
      failure: 'misconfigured',
      reason: expect.stringMatching(/^does not speak TLS as it should/),
    });
    expect(customer?.bytes).toBeLessThan(2_000);
  });

  it('that never greets back is unavailable', async () => {
    const { port } = await meet(() => {});
    const { verdict, ms } = await post(`https://127.0.0.1:${port}/feed`);
    expect(verdict).toMatchObject({ failure: 'unavailable', reason: 'could not be reached within 1 s' });
    expect(ms).toBeLessThan(QUICK.connectMs + SLACK_MS);
  });
});

describe.each([undefined, 'good'] as const)('a kept connection (certificate: %s)', (certificate) => {
  const secondRequest =
    (fail: (socket: Parameters<Behaviour>[0]) => void): Behaviour =>
    (socket, connection) =>
      onRequest(socket, (request) => {
        if (connection === 1 && request === 2) fail(socket);
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });

  it.each<[string, Behaviour]>([
    ['closed', secondRequest((socket) => socket.end())],
    ['reset', secondRequest(reset)],
  ])('%s as the next page comes: the page goes out once more, afresh', async (_how, behave) => {
    await meet(behave, certificate, { ca: AUTHORITY, limits: {} });
    expect((await post()).verdict).toBeUndefined();
    expect((await post()).verdict).toBeUndefined();
    expect(customer?.spoken).toBe(2);
  });

  it('goes out no more when what it was made from has changed meanwhile', async () => {
    await meet(
      secondRequest((socket) => socket.end()),
      certificate,
      { ca: AUTHORITY, limits: {} },
    );
    await post();
    const { verdict } = await post(undefined, PAGE, false);
    expect([verdict?.failure, customer?.spoken]).toEqual(['unavailable', 1]);
  });

  it('that began to answer is not tried again', async () => {
    await meet(
      secondRequest((socket) => socket.end('HTTP/1.1 2')),
      certificate,
      { ca: AUTHORITY, limits: {} },
    );
    await post();
    expect((await post()).verdict).toMatchObject({ failure: 'unavailable' });
    expect(customer?.spoken).toBe(1);
  });

  it('is tried again only once', async () => {
    const behave: Behaviour = (socket, connection) =>
      onRequest(socket, (request) => {
        if (connection > 1 || request > 1) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
    await meet(behave, certificate, { ca: AUTHORITY, limits: {} });
    await post();
    expect((await post()).verdict).toMatchObject({ failure: 'unavailable' });
    expect(customer?.spoken).toBe(2);
  });

  it('serves many pages', async () => {
    await meet(OK, certificate, { ca: AUTHORITY, limits: {} });
    for (let page = 0; page < 5; page += 1) expect((await post()).verdict).toBeUndefined();
    expect(customer?.spoken).toBe(1);
  });
});

it('an attempt that is called off says so, and closes its connection', async () => {
  await meet(() => {});
  const off = new AbortController();
  void setTimeout(50).then(() => off.abort(new Error('called off')));
  const page = { url: customer!.url, headers: {}, body: PAGE };
  await expect(postPage(agent, page, off.signal, async () => true)).rejects.toThrow('called off');
});
