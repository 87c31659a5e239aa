import { setTimeout } from 'node:timers/promises';
import { type Api, type Question, startApi } from '../api/start-api';
import { type Service, startService } from '../setup/processes';
import { idOf, openPuller, remoteIds } from './puller';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';
import { first, nightlyTest, scaledTest } from '../setup/cases';

let databaseUri: string;
let feed: TestFeed<WorkerProcess>;
let api: Api;
beforeAll(async () => {
  feed = await TestFeed.startWith((_, uri) => WorkerProcess.start((databaseUri = uri)));
  api = await startApi({ store: feed.store, temporal: feed.worker.temporal });
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

/** An API as a process of its own, to be killed, and what asks it. */
async function openApiProcess() {
  const start = () =>
    startService('api', { MONGODB_URI: databaseUri, GDX_TASK_QUEUE: feed.worker.taskQueue });
  let service: Service = await start();
  const ask = async (method: string, path: string, { token = '', body }: Question = {}) => {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const headers: Record<string, string> = {};
    answer.headers.forEach((value, name) => void (headers[name] = value));
    return { status: answer.status, headers, text, json: text && JSON.parse(text) };
  };
  const kill = () => service.end('SIGKILL');
  return { ask, kill, end: () => service.end(), restart: async () => void (service = await start()) };
}

// A stand-in may hold the transaction of each for a minute.
const KILLS = 6;

nightlyTest(
  `an API that is killed in the middle of ${KILLS} confirmations: each page counts, once and in its order`,
  async () => {
    const slug = 'api-killed';
    const killed = await openApiProcess();
    const customer = await openPuller({ feed, api: killed }, slug, { page_size: 2 });
    await feed.push(slug, ['tickets'], 2 * (KILLS + 2));
    const seen: string[] = [];
    let took = 0;
    for (let pages = 0; ; pages += 1) {
      const page = await customer.next();
      if (page.status === 204) break;
      seen.push(...remoteIds(page));
      if (pages > 1 && pages < KILLS + 2) {
        const confirming = customer.ask('POST', '/feed/confirm', { page: idOf(page) }).catch(() => undefined);
        await setTimeout((took * (pages - 1.5)) / KILLS);
        await killed.kill();
        await confirming;
        await killed.restart();
      }
      const began = performance.now();
      expect((await customer.confirm(idOf(page))).status).toBe(204);
      if (pages <= 1) took = performance.now() - began; // the first has to connect
      expect((await feed.marker(slug, 'tickets')).progress).toMatchObject({ records: seen.length });
    }
    expect(seen).toEqual(Array.from({ length: 2 * (KILLS + 2) }, (_, index) => `${index + 1}`));
    await killed.end();
  },
  600_000,
);

nightlyTest(
  'without any worker a question is answered 503 with Retry-After, and nothing is lost',
  async () => {
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
  },
);
