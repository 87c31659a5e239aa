import { createSharedLimiter } from '../../api/limits/shared-limiter';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';
import { slowTest, nightlyTest } from '../setup/cases';
import { earlyInTheMinute } from '../setup/early-in-the-minute';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import Koa from 'koa';
import { limitInProgress } from '../../api/limits/limit-in-progress';
import type { CallerState } from '../../api/limits/rate-limit';
import { createShares } from '../../api/limits/shares';
import { eventually } from '../setup/eventually';
import { type Api, accounts, channelKey, expectError, integrationToken, pushOf, startApi } from './start-api';
import { serveHere } from '../setup/serve-here';

let api: Api;

describe('shared limiter', () => {
  let store: Store;
  beforeEach(async () => {
    store = await emptyStore();
  });

  /** What all processes have been told, whichever minute it fell into. */
  async function told(): Promise<number> {
    const counts = await store.db.collection<{ points: number }>('attempt_counts').find().toArray();
    return counts.reduce((sum, { points }) => sum + points, 0);
  }

  nightlyTest(
    'a count that could not be told shuts nobody out for longer than the database is away',
    async () => {
      await earlyInTheMinute();
      let isAway = true;
      const shaky = rewire(store, async ({ run }) => {
        if (isAway) throw new Error('away');
        return run();
      });
      const limiter = createSharedLimiter(shaky, 'shaky', 60);
      await expect(limiter.take('a')).rejects.toThrow('away');
      isAway = false;
      expect([await limiter.take('a'), await limiter.take('a')]).toEqual([0, 0]);
      expect(await told()).toBe(3); // the first, too
    },
  );

  test('of many at once each is told to the other processes once', async () => {
    const limiter = createSharedLimiter(store, 'many', 60);
    await limiter.take('a'); // a stand-in of MongoDB may let two upserts of one new key both insert
    await Promise.all([1, 2, 3, 4].map(() => limiter.take('a')));
    expect(await told()).toBe(5);
  });

  slowTest(
    'what is counted of 100,000 is forgotten, or whoever owns very many addresses fills the memory',
    async () => {
      const limiter = createSharedLimiter(store, 'crowd', 6_000); // told by the hundred
      for (let time = 1; time < 100; time++) await limiter.take('a');
      for (let other = 1; other < 100_000; other++) await limiter.take(String(other));
      await limiter.take('a');
      expect(await told()).toBe(0);
    },
  );
});

describe('limit in progress', () => {
  const PUSH = '/api/v1/push';
  const BODY = JSON.stringify(pushOf(accounts(1)));

  beforeAll(async () => {
    api = await startApi({ limits: { requestsInProgressOfErp: 2, requestsInProgressOfCustomer: 1 } });
  });

  /** A request of which the last byte is still to come. */
  async function begin(path: string, token: string): Promise<ClientRequest> {
    const headers = {
      authorization: token,
      'content-type': 'application/json',
      'content-length': BODY.length,
      expect: '100-continue',
    };
    const begun = request({ host: '127.0.0.1', port: api.port, method: 'POST', path, headers });
    begun.on('error', () => undefined).flushHeaders();
    await once(begun, 'continue'); // it has its place by then
    begun.write(BODY.slice(0, -1));
    return begun;
  }

  /** A request that is answered 415, of which nearly all is still to come. */
  async function beginOther(token: string): Promise<ClientRequest> {
    const headers = { authorization: token, 'content-type': 'text/plain', 'content-length': BODY.length };
    const begun = request({ host: '127.0.0.1', port: api.port, method: 'POST', path: PUSH, headers });
    begun.on('error', () => undefined).write(BODY.slice(0, 1));
    const [answer] = (await once(begun, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(415);
    await once(answer, 'end');
    return begun;
  }

  const push = (token: string) => api.ask('POST', PUSH, { token, body: BODY });

  test('an ERP has its share of requests in progress, and each place is free again when it has ended or gone', async () => {
    const [slow, other] = [
      await integrationToken(api.store, { id: '66', name: 'Slow' }),
      await integrationToken(api.store),
    ];
    const held = [await begin(PUSH, slow), await begin(PUSH, slow)];
    const refused = await push(slow);
    expectError(refused, 429, 'RATE_LIMITED');
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect((await push(other)).status).toBe(204);

    held[0]!.end(BODY.slice(-1));
    const [answer] = (await once(held[0]!, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(204);
    await eventually(async () => expect((await push(slow)).status).toBe(204));
    held.push(await begin(PUSH, slow));
    expect((await push(slow)).status).toBe(429);
    held[1]!.destroy();
    await eventually(async () => expect((await push(slow)).status).toBe(204));
    held[2]!.destroy();
  });

  test('a request keeps its place while its body is still coming, though it was answered', async () => {
    const slow = await integrationToken(api.store, { id: '67', name: 'Answered' });
    const held = [await beginOther(slow), await beginOther(slow)];
    expectError(await push(slow), 429, 'RATE_LIMITED');
    held.forEach((one) => one.destroy());
    await eventually(async () => expect((await push(slow)).status).toBe(204));
  });

  test('whoever hangs up keeps the place until the work that was begun has ended', async () => {
    const shares = createShares(1);
    let end!: () => void;
    const begun = new EventEmitter();
    const app = new Koa<CallerState>().use(limitInProgress(shares)).use(({ req }) => {
      begun.emit('work', req.socket);
      return new Promise<void>((resolve) => (end = resolve));
    });
    const server = createServer(app.callback());
    const { port } = await serveHere(server);
    const work = once(begun, 'work');
    const asked = request({ port }).on('error', () => undefined);
    asked.end();
    const [socket] = (await work) as [Socket];
    asked.destroy();
    await once(socket, 'close');
    await new Promise(setImmediate);
    expect(shares.take('channel/undefined')).toBe(false);
    end();
    await eventually(async () => expect(shares.take('channel/undefined')).toBe(true));
  });

  test('a customer has a share of its own, and takes none of another customer’s', async () => {
    const [acme, bank] = [await channelKey(api.store, 'acme'), await channelKey(api.store, 'bank')];
    const markers = (slug: string, token: string) =>
      api.ask('GET', `/api/v1/channels/${slug}/markers`, { token });
    const held = await begin('/api/v1/channels/acme/resend', acme);
    expectError(await markers('acme', acme), 429, 'RATE_LIMITED');
    expect((await markers('bank', bank)).status).toBe(200);
    held.destroy();
    await eventually(async () => expect((await markers('acme', acme)).status).toBe(200));
  });
});
