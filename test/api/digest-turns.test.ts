import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isPending, readDigestBase } from '../../store/digest/digest-base';
import { type DigestRecord, digestRecords } from '../../store/digest/digest-records';
import { beginMarkers, markerId } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { watchCommands } from '../bench/count-commands';
import { closeStore } from '../../store/connect';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { slowTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { databaseUriOf } from '../setup/open-store';
import { openStoreAt } from '../setup/open-store-at';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { type DigestScene, IDS, openDigestScene } from './open-digest-scene';
import { type Api, startApi } from './start-api';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});

const inBytes = (ids: string[]) =>
  ids.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

const scene = (scope?: 'all' | 'subscribed') => openDigestScene(api, scope);

describe('digest', () => {
  describe('scope subscribed', () => {
    const keyOf = (one: DigestScene, account: string) => ({
      ...{ farmer: 'f1', channel: one.slug, partner_id: 'P' },
      account: one.account(account),
    });
    const begun = (one: DigestScene) =>
      api.store.db.collection('subscriptions').updateMany({ channel: one.slug }, { $set: { to_begin: [] } });
    const catchUp = (one: DigestScene, account: string, position: number, until: number) =>
      api.store.db.collection<{ _id: string }>('markers').replaceOne(
        { _id: `${markerId(one.slug, 'tickets')}/${one.account(account)}` },
        {
          ...{ channel: one.slug, entity_type: 'tickets', account: one.account(account) },
          ...{ position, until },
        },
        { upsert: true },
      );

    slowTest('nothing, then pending until the catch-up has passed it, then counted, then gone', async () => {
      const one = await scene('subscribed');
      await one.passAll();
      expect(await one.digest()).toMatchObject({ records: 0, pending: 0 });
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
      expect(await one.digest()).toMatchObject({ records: 0, pending: IDS.length });
      await begun(one);
      const [first, ...rest] = await one.stored();
      await catchUp(one, 'A', first!.position, rest.at(-1)!.position);
      expect(await one.digest()).toMatchObject({ records: 1, pending: IDS.length - 1 });
      await catchUp(one, 'A', first!.position, rest[1]!.position); // what lies above its end was sent otherwise
      expect(await one.digest()).toMatchObject({ records: IDS.length - 2, pending: 2 });
      await api.store.db.collection<{ _id: string }>('markers').deleteOne({ account: one.account('A') });
      expect(await one.digest()).toMatchObject({ records: IDS.length, pending: 0 });
      await revokeAccounts(api.store, [keyOf(one, 'A')]);
      expect(await one.digest()).toMatchObject({ records: 0, pending: 0 });
    });

    test('a record that was corrected away counts, as the customer was told; each record once', async () => {
      const one = await scene('subscribed');
      await one.push(['1'], 'C');
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'B')]);
      await begun(one);
      await one.push(['2'], 'B'); // of A before
      await one.passAll();
      expect(await one.digest()).toMatchObject({ records: IDS.length + 1, pending: 0 });
    });

    test('a record that was corrected away from an account is pending until that account’s catch-up has passed it', async () => {
      const one = await scene('subscribed');
      await one.push(['1'], 'B'); // of A before
      await one.passAll();
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
      expect(await one.digest()).toMatchObject({ records: 0, pending: IDS.length });
      await begun(one);
      expect(await one.digest()).toMatchObject({ records: IDS.length, pending: 0 });
    });

    test('what is from before the channel counts, once a catch-up has brought it', async () => {
      const one = await scene('subscribed');
      await beginMarkers(api.store, one.slug, new Map([['tickets', (await one.stored())[2]!.position]]));
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
      await begun(one);
      await one.passAll();
      expect(await one.digest()).toMatchObject({ records: IDS.length, pending: 0 });
    });

    test('what is revoked while it is made is not in it', async () => {
      const one = await scene('subscribed');
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'B')]);
      await begun(one);
      let revoked: Promise<unknown> | undefined;
      const busy = rewire(api.store, async ({ collection, run }) => {
        if (collection === 'markers') await (revoked ??= revokeAccounts(api.store, [keyOf(one, 'A')]));
        return run();
      });
      const { selection } = await one.base(busy);
      expect([...selection.shared!]).toEqual([one.account('B')]);
    });

    test('what a reset sends again while it is made is pending', async () => {
      const one = await scene('subscribed');
      await one.push(['late']);
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
      await begun(one);
      await one.passAll();
      const late = (await one.stored()).at(-1)!;
      await catchUp(one, 'A', 0, late.position);
      let reset: Promise<unknown> | undefined;
      const busy = rewire(api.store, async ({ collection, run }) => {
        const answer = await run();
        if (collection === 'markers')
          await (reset ??= resetChannelMarker(api.store, await one.channel(), 'tickets', late.updated_at));
        return answer;
      });
      expect(isPending(await one.base(busy), late)).toBe(true);
    });

    test('what is shared is read by account, and a company of which much is shared is walked', async () => {
      const one = await scene('subscribed');
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'C')]);
      await begun(one);
      await one.push(['C1', '\u{1f33d}2'], 'C');
      await one.passAll();
      await one.push(['10'], 'B'); // away
      await one.push(['2'], 'C'); // from one to the other
      await one.push(['other'], 'A'); // and here
      await one.push(['others’'], 'B');
      const read = async (held?: number) => {
        const asked = new Set<string>();
        const watched = rewire(api.store, ({ collection, args, run }) => {
          if (collection === 'tickets') asked.add(Object.keys(args[0]!)[0]!);
          return run();
        });
        const [found, passed]: [DigestRecord[], number[]] = [[], []];
        const options = { passed: async (records: number) => void passed.push(records) };
        for await (const batch of digestRecords(watched, 'tickets', await one.base(), options, held))
          found.push(...batch);
        return { found, asked: [...asked], passed: passed.reduce((sum, records) => sum + records, 0) };
      };
      const byAccount = await read();
      expect(byAccount.found.map(({ id }) => id)).toEqual(
        inBytes([...IDS, 'other', 'C1', '\u{1f33d}2'].map(one.account)),
      );
      expect(byAccount.found.filter(({ pending }) => pending)).toHaveLength(3);
      expect(byAccount.asked).toEqual(['account_ids', 'left_account_ids', 'company_id']);
      const all = IDS.length + 4;
      expect(await read(all - 1)).toEqual(byAccount);
      const walked = await read(all - 2);
      expect(walked).toMatchObject({ found: byAccount.found, asked: expect.arrayContaining(['_id']) });
      expect(walked.passed).toBeGreaterThanOrEqual(all + IDS.length);
    });

    test('companies are read together, in the order of their ids, until one of them is too much', async () => {
      const scenes = [await scene('subscribed'), await scene('subscribed')] as const;
      const [one, other] = scenes;
      const [more, grants] = [
        ['C1', 'C2'],
        [keyOf(one, 'A'), { ...keyOf(one, 'A'), account: other.account('A') }],
      ];
      await other.push(more);
      await api.store.db
        .collection('channels')
        .updateOne({ _id: one.slug as never }, { $set: { companies: [] } });
      await grantAccounts(api.store, await one.channel(), grants);
      await begun(one);
      const ids = inBytes([...IDS.map(one.account), ...[...IDS, ...more].map(other.account)]);
      for (const held of [ids.length, ids.length - 1, IDS.length, 1]) {
        const asked: string[] = [];
        const watched = rewire(api.store, ({ collection, args, run }) => {
          if (collection === 'tickets') asked.push(Object.keys(args[0]!)[0]!);
          return run();
        });
        const found: DigestRecord[] = [];
        for await (const batch of digestRecords(watched, 'tickets', await one.base(), {}, held))
          found.push(...batch);
        expect(found.map(({ id }) => id)).toEqual(ids);
        const walked = [ids.length, ids.length - 1].includes(held) ? 0 : held === 1 ? 2 : 1;
        expect([held, asked.filter((key) => key === '_id').length]).toEqual([held, walked]);
        if (held === ids.length) expect(asked).toHaveLength(3);
      }
    });

    test('a record that changes while the accounts are read is in it as it is now', async () => {
      const one = await scene('subscribed');
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
      await begun(one);
      await one.passAll();
      const base = await one.base();
      let changed: Promise<unknown> | undefined;
      const busy = rewire(api.store, async ({ collection, run }) => {
        const found = await run();
        if (collection === 'tickets') await (changed ??= one.push(['1'], 'A', { note: 'corrected' }));
        return found;
      });
      const list = [];
      for await (const batch of digestRecords(busy, 'tickets', base, {})) list.push(...batch);
      expect(list.filter(({ id }) => id === one.account('1'))).toMatchObject([{ pending: true }]);
    });

    test('what changes while they are read is read upwards: no record moves on behind the reader', async () => {
      const one = await scene('subscribed');
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
      await begun(one);
      const base = await one.base();
      const monitored = await openStoreAt(databaseUriOf(api.store), { monitored: true });
      const sent = await watchCommands(monitored, async () => {
        for await (const batch of digestRecords(monitored, 'tickets', base, {})) expect(batch).toBeDefined();
      });
      await closeStore(monitored);
      const changed = sent.filter(({ command }) => 'position' in ((command['filter'] as object) ?? {}));
      expect(changed.map(({ command }) => command['sort'])).toEqual([new Map([['position', 1]])]);
    });

    test('a record that moves between accounts while they are read is pending, not lost', async () => {
      const one = await scene('subscribed');
      await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'B')]);
      await begun(one);
      await one.passAll();
      await api.store.client.withSession({ causalConsistency: true }, async (session) => {
        const base = (await readDigestBase(api.store, one.slug, 'tickets', session))!;
        await one.push(['1'], 'B');
        await one.push(['1'], 'C');
        const list = [];
        for await (const batch of digestRecords(api.store, 'tickets', base, { session })) list.push(...batch);
        expect(list.find(({ id }) => id === one.account('1'))).toMatchObject({ pending: true });
        expect(list).toHaveLength(IDS.length + 1);
      });
    });
  });

  /** An API whose walks stop where they begin, until they may go on. */
  async function startSlow() {
    const halt = stopHere();
    let begun = 0;
    const store = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'counters') begun += 1;
      if (collection === 'counters') await halt.here();
      return run();
    });
    const slow = await startApi({ store });
    const ask = ({ path, token }: DigestScene) => slow.ask('GET', path, { token });
    return {
      slow,
      ask,
      goOn: halt.goOn,
      walking: (walks: number) => eventually(() => expect(begun).toBe(walks)),
    };
  }

  /** Asks, and goes away when `isSoFar`. Resolves when the service knows of it. */
  async function leave({ server, port }: Api, { path, token }: DigestScene, isSoFar: Promise<unknown>) {
    const gone = new Promise((done) =>
      server.prependOnceListener('request', (_: IncomingMessage, answer: ServerResponse) =>
        answer.once('close', done),
      ),
    );
    const asked = get(`http://127.0.0.1:${port}${path}`, { headers: { authorization: token } });
    asked.on('error', () => undefined);
    await isSoFar;
    asked.destroy();
    await gone;
  }

  slowTest('one at a time for a channel, and the turn ends with the answer or the connection', async () => {
    const one = await scene();
    await one.passAll();
    const { slow, ask, goOn, walking } = await startSlow();
    const first = ask(one);
    await walking(1);
    const refused = await ask(one);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    goOn();
    expect((await first).status).toBe(200);
    expect((await ask(one)).status).toBe(200);
    await slow.stop();

    const held = await startSlow();
    await leave(held.slow, one, held.walking(1));
    held.goOn();
    expect((await held.ask(one)).status).toBe(200);
    await held.slow.stop();
  });

  const ALL_BUCKETS = Array.from({ length: 256 }, (_, bucket) => bucket.toString(16).padStart(2, '0')).join(
    ',',
  );

  /** A scene whose digest of every bucket is more than the sockets between its reader and the API hold. */
  async function largeDigest() {
    const one = await scene();
    const [record] = await one.stored();
    const many = Array.from({ length: 200_000 }, (_, index) => ({
      ...record,
      _id: `${record!._id}-${index}`,
    }));
    const store = rewire(api.store, ({ collection, run }) =>
      collection === 'tickets' ? Promise.resolve(many) : run(),
    );
    const large = await startApi({ store });
    const url = `http://127.0.0.1:${large.port}${one.path}&bucket=${ALL_BUCKETS}`;
    const ask = () => get(url, { headers: { authorization: one.token } });
    return { one, large, ask };
  }

  nightlyTest(
    'an answer that waits for its reader for five minutes is cut off, and its turn ends',
    async () => {
      const { one, ask } = await largeDigest();
      const realTimeout = globalThis.setTimeout;
      const sooner = (run: () => void, ms?: number) => realTimeout(run, ms && ms > 4 * 60_000 ? 200 : ms);
      const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof realTimeout);
      try {
        const request = ask();
        const began = performance.now();
        const [response] = (await once(request, 'response')) as [IncomingMessage]; // nothing of it is read
        response.on('error', () => undefined);
        const second = () => api.ask('GET', one.path, { token: one.token });
        await eventually(async () => expect((await second()).status).toBe(200), 20_000);
        expect(performance.now() - began).toBeLessThan(20_000); // silence alone is cut off after 30 s
        request.destroy();
      } finally {
        timers.mockRestore();
      }
    },
  );

  nightlyTest('of five minutes, those that one piece has waited are gone for the next', async () => {
    const { large, ask } = await largeDigest();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const request = ask();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const left = () => timers.mock.calls.flatMap(([, ms]) => (ms && ms > 3 * 60_000 ? ms : []));
    await eventually(() => expect(left().length).toBeGreaterThanOrEqual(3)); // the large one waits
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    response.resume();
    await once(response, 'end');
    const [first, last] = [left()[0], left().at(-1)];
    for (const spy of [clock, timers]) spy.mockRestore();
    await large.stop();
    expect(first).toBe(5 * 60_000);
    expect(last).toBeLessThanOrEqual(4 * 60_000);
  });

  test('an answer that breaks off is cut off, and cannot pass for a whole one', async () => {
    const one = await scene();
    let isAway = true;
    const store = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'tickets' && isAway) throw new Error('away');
      return run();
    });
    const broken = await startApi({ store });
    const url = `http://127.0.0.1:${broken.port}${one.path}`;
    const request = get(url, { headers: { authorization: one.token } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const closed = new Promise((resolve) => response.once('close', () => resolve('cut off')));
    response.on('error', () => undefined).resume();
    expect(await Promise.race([closed, setTimeout(15_000, 'left open', { ref: false })])).toBe('cut off');
    expect(response.complete).toBe(false);
    isAway = false;
    expect((await broken.ask('GET', one.path, { token: one.token })).status).toBe(200);
  });

  slowTest('who asks while four others have their turns is refused, and only then', async () => {
    const [late, ...others] = await Promise.all(Array.from({ length: 5 }, () => scene()));
    const { ask: answerTo, goOn, walking } = await startSlow();
    const ask = async (one: DigestScene) => (await answerTo(one)).status;
    const answers = others.map(ask);
    await walking(4);
    expect(await ask(late!)).toBe(429);
    goOn();
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
    expect(await ask(late!)).toBe(200);
  });

  test('who has left before the turn came keeps none', async () => {
    const one = await scene();
    const lookedUp = new EventEmitter();
    const store = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'channels' && lookedUp.emit('begun')) await once(lookedUp, 'go on');
      return run();
    });
    const slow = await startApi({ store });
    await leave(slow, one, once(lookedUp, 'begun')); // by the first request alone: nobody listens later
    lookedUp.emit('go on');
    await eventually(
      async () => expect((await slow.ask('GET', one.path, { token: one.token })).status).toBe(200),
      10_000,
    );
  });
});
