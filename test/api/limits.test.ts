import { collectBody } from '../../api/limits/collect-body';
import { createByteBudget } from '../../api/limits/byte-budget';
import { HOUR_MS } from '../../domain/time/spans';
import { DEFAULT_LIMITS } from '../../api/limits/limits';
import { ROUTES } from '../../api/routes';
import { countedAddress } from '../../api/http/caller-address';
import { addressKey, createRateLimiter } from '../../api/limits/rate-limit';
import { eventually } from '../setup/eventually';
import { connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { createHttpServer } from '../../api/server/http-server';
import { serveHere } from '../setup/serve-here';

const MIB = 1024 * 1024;

describe('limits', () => {
  // What docs/contract.md A8, A10 and A13 and the guides tell callers.
  test('a process takes what the contract says', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      ...{ bodyBytesInFlight: 128 * MIB, bodyBytesOfCaller: 32 * MIB },
      ...{ requestsInProgressOfErp: 256, requestsInProgressOfCustomer: 32, connectionsOfAddress: 256 },
      ...{
        requestsPerMinute: 6_000,
        requestsOfAddressPerMinute: 30_000,
        failedAuthenticationsPerMinute: 300,
      },
      ...{ requestsInProgressOfAddress: 256, strayRequestsPerMinute: 1_200, linesOfStrangerPerMinute: 300 },
    });
  });

  test('a digest counts as 80 requests: 75 a minute take a quarter of a core', () => {
    const digests = ROUTES.filter(({ path }) => path.endsWith('/digest'));
    expect(digests.map(({ method, weight }) => [method, weight])).toEqual([
      ['GET', 80],
      ['POST', 80],
    ]);
  });

  describe('rate limiter', () => {
    test('counts per key and forgets after a minute', () => {
      let now = 1_000_000;
      const limiter = createRateLimiter(2, () => now);
      expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 0]);
      now += 20_000;
      expect([limiter.take('a'), limiter.take('b')]).toEqual([40_000, 0]);
      now += 40_000;
      expect(limiter.take('a')).toBe(0);
    });

    test.each(['ahead', 'back'])('a clock that is set %s by two hours leaves a minute as it is', (where) => {
      const limiter = createRateLimiter(1);
      const began = performance.now();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(began);
      const [, second] = [limiter.take('a'), limiter.take('a')];
      const stepped = jest
        .spyOn(Date, 'now')
        .mockReturnValue(Date.now() + (where === 'ahead' ? 2 : -2) * HOUR_MS);
      try {
        expect([second, limiter.take('a')]).toEqual([60_000, 60_000]);
        clock.mockReturnValue(began + 60_000);
        expect(limiter.take('a')).toBe(0);
      } finally {
        stepped.mockRestore();
        clock.mockRestore();
      }
    });

    test('remembers 100,000 at most, and then begins anew', () => {
      const limiter = createRateLimiter(1, () => 1_000_000);
      limiter.take('a');
      for (let other = 1; other < 100_000; other++) {
        if (other === 99_999) expect(limiter.take('a')).toBeGreaterThan(0);
        limiter.take(String(other));
      }
      expect(limiter.take('a')).toBe(0);
    });
  });

  test('of many small pieces few are held', async () => {
    const concat = jest.spyOn(Buffer, 'concat');
    const pieces = Array.from({ length: 5_000 }, (_, index) => Buffer.from([index % 256]));
    const lease = createByteBudget(MIB).lease('a');
    const body = await collectBody(Readable.from(pieces, { objectMode: false }), { maxBytes: MIB, lease });
    const [held] = concat.mock.calls.at(-1)!;
    concat.mockRestore();
    expect(body).toEqual(Buffer.concat(pieces));
    expect(held.length).toBeLessThan(1_100);
  });

  describe('byte budget', () => {
    test('is shared by all leases and comes back', () => {
      const budget = createByteBudget(10);
      const [first, second] = [budget.lease('a'), budget.lease('b')];
      first.growTo(4);
      first.growTo(3); // holds four already
      second.growTo(6);
      expect(() => first.growTo(5)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
      second.release();
      second.release(); // gives back once
      first.growTo(10);
      expect(() => budget.lease('b').growTo(1)).toThrow(expect.objectContaining({ status: 503 }));
    });

    test('who has left takes nothing any more, so nothing is held for them', () => {
      const budget = createByteBudget(10);
      const gone = budget.lease('a');
      gone.release();
      expect(() => gone.growTo(6)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
      budget.lease('b').growTo(10);
    });
  });

  test.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ])('%s and %s count as one address: %s', (one, other, same) => {
    expect(addressKey(one) === addressKey(other)).toBe(same);
  });

  test.each([
    ...[
      ['10.1.2.3', true],
      ['127.0.0.1', true],
      ['::ffff:172.16.0.9', true],
      ['fe80::1', true],
      ['fd00::1', true],
    ],
    ...[
      ['198.18.0.1', false],
      ['100.64.0.1', false],
      ['2002:cb00:7109::1', false],
    ],
    ...[
      ['2001:0:cb00:7109::1', false],
      ['64:ff9b::cb00:7109', false],
      ['224.0.0.1', false],
    ],
  ] as [string, boolean][])('what %s says for whom it asks is believed: %s', (ip, isBelieved) => {
    const ctx = { ip, app: { proxy: false }, get: () => '203.0.113.9' };
    expect(countedAddress(ctx as never)).toBe(isBelieved ? '203.0.113.9' : ip);
  });
});

describe('connection share', () => {
  /** A server of which an address may hold so many connections. */
  async function listen(ofAddress: number, trustedProxies = 0) {
    const server = createHttpServer((_, res) => void res.end('ok'), { trustedProxies, ofAddress });
    const { port } = await serveHere(server);
    return { server, open: () => connect(port, '127.0.0.1') };
  }

  /** How many of four connections of one address are served, where it may hold two. */
  async function served(trustedProxies: number): Promise<number> {
    const { server, open } = await listen(2, trustedProxies);
    const sockets = Array.from({ length: 4 }, open);
    const answered = await Promise.all(sockets.map(isAnswered));
    sockets.forEach((socket) => socket.destroy());
    server.close();
    return answered.filter(Boolean).length;
  }

  function isAnswered(socket: Socket): Promise<boolean> {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return new Promise((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('close', () => resolve(false)).on('error', () => {});
    });
  }

  test('an address holds no more than its share of connections', async () => expect(await served(0)).toBe(2));

  test('who has closed its connections may open others', async () => {
    const { server, open } = await listen(1);
    const first = open();
    expect(await isAnswered(first)).toBe(true);
    first.destroy();
    await eventually(async () => {
      const next = open();
      const isServed = await isAnswered(next);
      next.destroy();
      expect(isServed).toBe(true);
    }, 5_000);
    server.close();
  });

  test('a network of IPv6 has one share: whoever has an address of it has all', async () => {
    const { server } = await listen(1);
    const sockets = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((remoteAddress) => {
      const socket = Object.assign(new PassThrough(), { remoteAddress });
      server.emit('connection', socket as never);
      return socket;
    });
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });

  test('a proxy holds those of everybody, and has no share', async () => expect(await served(1)).toBe(4));
});
