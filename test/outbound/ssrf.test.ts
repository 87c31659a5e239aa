import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createAgent, type CustomerAgent } from '../../outbound/create-agent';
import type { Resolver } from '../../outbound/guarded-connector';
import { postPage } from '../../outbound/post-page';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { deniedAddress, type OutboundRule } from '../../domain/settings/denied-address';
import { eventually } from '../setup/eventually';
import { loopbackAgent } from '../setup/loopback-agent';
import { AUTHORITY, OddCustomer, saysAndLeaves } from './odd-customer';
import { startSlowListener } from './slow-listener';
import { HOSTS, RESOLVED } from './ssrf-corpus';
import { serveHere } from '../setup/serve-here';

const PAGE = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"data":[]}') };

// Counts requests on every address of this machine.
let port: number;
let rule: OutboundRule;
let connections = 0;
let bytes = 0;

beforeAll(async () => {
  const listener = createServer((socket) => {
    connections += 1;
    socket.on('data', (chunk) => (bytes += chunk.length)).on('error', () => {});
  });
  ({ port } = await serveHere(listener, '0.0.0.0'));
  rule = { production: true, outboundAllow: [], outboundPorts: [port] };
});

beforeEach(() => {
  connections = 0;
  bytes = 0;
});

const resolvesTo =
  (...answers: string[][]): Resolver =>
  (_name, _options, done) => {
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    done(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };

async function post(agent: CustomerAgent, url: string) {
  const answer = await postPage(agent, { ...PAGE, url }, new AbortController().signal, () =>
    Promise.resolve(true),
  );
  return { answer, verdict: classifyAnswer(answer) };
}

describe('a customer’s URL', () => {
  const hosts = Object.entries(HOSTS).flatMap(([kind, list]) => list.map((host) => [kind, host]));

  it.each(hosts)('%s: %s is not connected to', async (_kind, host) => {
    const agent = createAgent({ rule, resolver: resolvesTo(['127.0.0.1']) });
    const { answer, verdict } = await post(agent, `https://${host}:${port}/feed`);
    expect(answer).toMatchObject({ status: null, problem: 'blocked' });
    expect(verdict).toMatchObject({ failure: 'misconfigured', advice: 'check the channel’s base URL' });
    expect(connections).toBe(0);
  });

  it('is blocked with a reason that an operator can act on', async () => {
    const agent = createAgent({ rule });
    const { verdict } = await post(agent, `https://10.0.0.5:${port}/feed`);
    expect(verdict?.reason).toBe(
      'has a base URL that points to 10.0.0.5, a private address: customer URLs must be public',
    );
  });

  it.each(['http://8.8.8.8/feed', 'https://8.8.8.8:22/feed', 'https://8.8.8.8/feed#x', 'file:///etc/passwd'])(
    '%s is not connected to in production, whatever was saved',
    async (url) => {
      const agent = createAgent({ rule });
      expect((await post(agent, url)).verdict).toMatchObject({ failure: 'misconfigured' });
    },
  );
});

describe('a name', () => {
  it.each(Object.entries(RESOLVED))('that resolves to %s is not connected to', async (_kind, addresses) => {
    const agent = createAgent({ rule, resolver: resolvesTo(addresses) });
    const { answer } = await post(agent, `https://acme.example:${port}/feed`);
    expect(answer).toMatchObject({ status: null, problem: 'blocked' });
    expect(connections).toBe(0);
  });

  it('is resolved anew for every connection', async () => {
    const customer = await OddCustomer.start(
      saysAndLeaves('HTTP/1.1 204 No Content', 'connection: close', '', ''),
      'good',
    );
    const agent = createAgent({
      rule: { ...rule, outboundAllow: ['127.0.0.1/32'], outboundPorts: [customer.port, port] },
      ca: AUTHORITY,
      resolver: resolvesTo(['127.0.0.1'], ['127.0.0.2']),
    });
    const url = `https://customer.example:${customer.port}/feed`;
    expect((await post(agent, url)).answer).toMatchObject({ status: 204 });
    expect((await post(agent, url)).answer).toMatchObject({ problem: 'blocked' });
    expect(customer.connections).toBe(1);
  });

  it('has its own address, also where another one is looked up at the same time', async () => {
    const customer = await OddCustomer.start(saysAndLeaves('HTTP/1.1 204 No Content', '', ''));
    const answers: (() => void)[] = [];
    const resolver: Resolver = (name, options, done) => {
      const address = name === 'acme.example' ? ['127.0.0.1'] : ['169.254.1.1'];
      answers.push(() => resolvesTo(address)(name, options, done));
    };
    const agent = loopbackAgent({ resolver });
    const posts = ['acme', 'bison'].map((name) =>
      post(agent, `http://${name}.example:${customer.port}/feed`),
    );
    await eventually(() => expect(answers).toHaveLength(2), 5_000);
    for (const answer of answers) answer();
    const [acme, bison] = await Promise.all(posts);
    expect([acme!.answer.status, bison!.answer]).toEqual([
      204,
      expect.objectContaining({ problem: 'blocked' }),
    ]);
    expect(customer.connections).toBe(1);
  });

  it('is reached by its first address although that is slow to connect, and the second one refuses', async () => {
    const slow = await startSlowListener();
    const agent = loopbackAgent({ resolver: resolvesTo(['127.0.0.1', '127.0.0.2']) });
    const posted = post(agent, `http://acme.example:${slow.port}/feed`);
    // Longer than the 250 ms that Node gives to each address but the last. The kernel tries again after a second.
    await setTimeout(600);
    slow.goOn();
    expect((await posted).answer).toMatchObject({ status: 204 });
  });

  it('that no name server answers for is given up when the time to connect is over', async () => {
    const agent = loopbackAgent({ resolver: () => {}, limits: { connectMs: 50 } });
    const { answer } = await post(agent, 'http://acme.example:81/feed');
    expect(answer).toMatchObject({ problem: 'timeout', detail: 'could not be reached within 0.05 s' });
  });

  it('that is another address when it is connected to gets not one byte', async () => {
    // what was checked is not what is connected to
    const shifting = () => {
      let reads = 0;
      const address = () => (reads++ === 0 ? '93.184.216.34' : '127.0.0.1');
      return Object.defineProperty({ family: 4 }, 'address', { get: address }) as LookupAddress;
    };
    const agent = createAgent({ rule, resolver: (_name, _options, done) => done(null, [shifting()]) });
    const { answer } = await post(agent, `https://acme.example:${port}/feed`);
    expect(answer).toMatchObject({ problem: 'blocked', detail: expect.stringContaining('127.0.0.1') });
    await eventually(() => expect(connections).toBe(1));
    await setTimeout(50);
    expect({ connections, bytes }).toEqual({ connections: 1, bytes: 0 });
  });
});

describe('outside production', () => {
  const development = { production: false, outboundAllow: ['10.1.0.0/16', 'fd00::/8'], outboundPorts: [] };

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.2.3', 'fd00::5', '8.8.8.8'])(
    '%s is allowed',
    (address) => expect(deniedAddress(address, development)).toBeUndefined(),
  );

  it.each(['0.0.0.0', '::', '10.2.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '169.254.169.254', 'fe80::1'])(
    '%s is not',
    (address) => expect(deniedAddress(address, development)).toMatch(/must be public/),
  );
});

it.each(['8.8.8.8', '2606:4700::1111', '64:ff9b::808:808', '2002:808:808::1', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => expect(deniedAddress(address, rule)).toBeUndefined(),
);
