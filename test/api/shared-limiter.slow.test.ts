import { MongoClient, MongoError } from 'mongodb';
import { createSharedLimiter } from '../../api/limits/shared-limiter';
import type { Store } from '../../store/store';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { startService } from '../setup/processes';
import { accounts, integrationToken, pushOf, startApi } from './start-api';

const MINUTE = 60_000;
const PUSH = '/api/v1/push';

let uri: string;
let store: Store;
beforeEach(async () => {
  uri = newDatabaseUri();
  store = await openStore(uri);
});

/** Counts are of one minute of the clock. */
async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / MINUTE);
    const done = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (Math.floor(Date.now() / MINUTE) !== minute) continue;
    if ('error' in done) throw done.error;
    return done.value;
  }
}

const passed = (waits: number[]) => waits.filter((waitMs) => waitMs === 0).length;

test('one process lets exactly as many through as the limit says, many at once too; another key is counted apart', async () => {
  const waits = await inOneMinute(() => {
    const limiter = createSharedLimiter(store, `one-${Date.now()}`, 120);
    return Promise.all(Array.from({ length: 150 }, () => limiter.take('a')).concat(limiter.take('b')));
  });
  expect([passed(waits.slice(0, -1)), waits.at(-1)]).toEqual([120, 0]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE);
});

test('three under one attack: the limit and a portion for each pass in all', async () => {
  const waits = await inOneMinute(async () => {
    const name = `three-${Date.now()}`;
    const three = [1, 2, 3].map(() => createSharedLimiter(store, name, 120));
    // The first portion alone: secantusd-py lets two upserts of one new key both insert.
    const first = [await three[0]!.take('a'), await three[0]!.take('a')];
    const others = Array.from({ length: 598 }, (_, index) => three[index % 3]!.take('a'));
    return first.concat(await Promise.all(others));
  });
  expect(passed(waits)).toBeGreaterThanOrEqual(120);
  expect(passed(waits)).toBeLessThanOrEqual(120 + 3 * 2);
});

test('what cannot be counted does not pass, and passes again when the database is back', async () => {
  const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
  const away = { ...store, db: client.db('gdx') };
  const limiter = createSharedLimiter(away, 'away', 120);
  await inOneMinute(async () => {
    expect(await limiter.take('a')).toBe(0); // less than a portion
    await expect(Promise.all([limiter.take('a'), limiter.take('a')])).rejects.toThrow(MongoError);
    await expect(limiter.take('a')).rejects.toThrow(MongoError);
  });
  away.db = store.db;
  expect(await limiter.take('a')).toBe(0);
  await client.close();
});

test('a push reads and writes no count before a hundredth of them', async () => {
  const api = await startApi({ store });
  const token = await integrationToken(store);
  await inOneMinute(async () => {
    for (let push = 0; push < 20; push++)
      expect((await api.ask('POST', PUSH, { token, body: pushOf(accounts(1)) })).status).toBe(204);
  });
  await api.stop();
  expect(await store.db.collection('attempt_counts').countDocuments()).toBe(0);
});

test('two processes under one attack of bad tokens: 300 and two portions are told 401, all others 429', async () => {
  const services = await Promise.all([1, 2].map(() => startService('api', { MONGODB_URI: uri })));
  const guess = async (url: string) =>
    (await fetch(url + PUSH, { method: 'POST', headers: { authorization: 'guess' } })).status;
  const statuses = await inOneMinute(async () => {
    await store.db.collection('attempt_counts').deleteMany({});
    const rounds: number[] = [];
    for (let round = 0; round < 25; round++) {
      const answers = Array.from({ length: 16 }, (_, index) => guess(services[index % 2]!.url));
      rounds.push(...(await Promise.all(answers)));
    }
    return rounds;
  });
  await Promise.all(services.map((service) => service.end()));
  const refused = statuses.filter((status) => status === 401).length;
  console.log(`${refused} of ${statuses.length} guesses at two processes were answered 401`);
  expect(refused).toBeGreaterThanOrEqual(300 - 2 * 5);
  expect(refused).toBeLessThanOrEqual(300 + 2 * 5);
  expect(statuses.length - refused).toBe(statuses.filter((status) => status === 429).length);
});
