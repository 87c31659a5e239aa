import { setTimeout } from 'node:timers/promises';
import { type Api, startApi } from '../api/start-api';
import { idOf, openPuller } from './puller';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';
import { first, scaledTest } from '../setup/cases';

let feed: TestFeed<WorkerProcess>;
let api: Api;
beforeAll(async () => {
  feed = await TestFeed.startWith((_, databaseUri) => WorkerProcess.start(databaseUri));
  api = await startApi({ store: feed.store, temporal: feed.worker.temporal });
});
afterAll(async () => {
  await api.stop();
  await feed.stop();
});

const SOON_MS = 5_000;

scaledTest.each(first(1, ['SIGKILL', 'SIGTERM'] as const))(
  'a worker that ends by %s while a page waits: it is given out and confirmed without one',
  async (signal) => {
    const slug = `ends-by-${signal.toLowerCase()}`;
    const customer = await openPuller({ feed, api }, slug, { page_size: 2 });
    await feed.push(slug, ['tickets'], 5);
    const first = await customer.next();
    const began = Date.now();
    await feed.worker.end(signal);
    if (signal === 'SIGTERM') expect(Date.now() - began).toBeLessThan(SOON_MS);
    const given = await customer.next();
    expect([idOf(given), given.text]).toEqual([idOf(first), first.text]);
    const confirm = () => customer.ask('POST', '/feed/confirm', { page: idOf(first) });
    expect([(await confirm()).status, (await confirm()).status]).toEqual([204, 204]);
    expect((await feed.marker(slug, 'tickets')).progress).toMatchObject({ records: 2 });
    await feed.worker.launch();
    expect(await customer.collectAll()).toEqual(['3', '4', '5']);
  },
);

test('without any worker a question is answered 503 with Retry-After, and nothing is lost', async () => {
  const customer = await openPuller({ feed, api }, 'no-worker', { page_size: 2 });
  await feed.push('no-worker', ['tickets'], 3);
  await feed.worker.end('SIGTERM');
  const away = await customer.ask('GET', '/feed?entity_type=tickets');
  expect([away.status, away.json.code, Number(away.headers['retry-after'])]).toEqual([
    503,
    'UNAVAILABLE',
    expect.any(Number),
  ]);
  await feed.worker.launch();
  await setTimeout(500);
  expect(await customer.collectAll()).toEqual(['1', '2', '3']);
});
