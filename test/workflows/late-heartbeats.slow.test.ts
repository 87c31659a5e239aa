import { startTemporalProxy } from '../temporal/temporal-proxy';
import { cases, scaledTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { TestFeed } from './test-feed';
import { WorkerProcess } from './worker-process';

// GDX_CASES=200 is what docs/proof.md says of it.
const ROUNDS = cases(1, 10);
const PAGES = 6;
const MOST = { exitMs: 30_000, silenceMs: 6_000, pages: PAGES + 1 };

type Proxy = Awaited<ReturnType<typeof startTemporalProxy>>;

let feed: TestFeed<WorkerProcess>;
/** Two, each behind a proxy of its own. */
let workers: { worker: WorkerProcess; proxy: Proxy }[];
beforeAll(async () => {
  const address = process.env.TEMPORAL_ADDRESS!;
  const proxies = [await startTemporalProxy(address), await startTemporalProxy(address)];
  feed = await TestFeed.startWith(async (_, databaseUri) => {
    const worker = await WorkerProcess.behind(proxies[0]!.address, databaseUri);
    await worker.launch();
    return worker;
  });
  const other = await feed.worker.join('', proxies[1]!.address);
  workers = [feed.worker, other].map((worker, index) => ({ worker, proxy: proxies[index]! }));
});

/** The worker that delivers the channel's accounts, by what Temporal says. */
async function findDelivering(slug: string) {
  const { raw } = await feed.delivery(slug, 'accounts', 1).describe();
  const identity = raw.pendingActivities?.[0]?.lastWorkerIdentity ?? '';
  return workers.find(({ worker }) => identity.startsWith(`${worker.pid}@`))!;
}

/**
 * Temporal's core 1.24.0 can drop the result of an activity where the worker shuts down while a heartbeat of it is on the
 * wire: then nothing says that the rest was handed back until the heartbeat timeout.
 */
scaledTest(
  `a worker told to stop while heartbeats are late ends, and another one goes on within seconds, ${ROUNDS} times`,
  async () => {
    const seen = { exitMs: 0, silenceMs: 0, pages: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const slug = `late-${round}`;
      let told: { at: number; struck: (typeof workers)[number]; exit: Promise<number | string> } | undefined;
      const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, async () => {
        if (customer.pages.length !== 2 || told) return 200;
        const struck = await findDelivering(slug);
        struck.proxy.late.byMs = 3_000;
        await eventually(() => expect(struck.proxy.late.waiting).toBeGreaterThan(0));
        told = { at: Date.now(), struck, exit: struck.worker.end('SIGTERM') };
        return 200;
      });
      await feed.push(slug, ['accounts'], PAGES);
      await feed.deliverNow(slug);
      await eventually(() => expect(told).toBeDefined());
      const { at, struck, exit } = told!;
      expect(await exit).toBe(0);
      seen.exitMs = Math.max(seen.exitMs, Date.now() - at);
      expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({ status: 'delivered', records: PAGES });
      const times = [at, ...customer.pages.map((page) => page.at).filter((time) => time > at)];
      const silences = times.slice(1).map((time, index) => time - times[index]!);
      seen.silenceMs = Math.max(seen.silenceMs, ...silences);
      seen.pages = Math.max(seen.pages, customer.pages.length);
      struck.proxy.late.byMs = 0;
      await struck.worker.launch();
    }
    console.log(`at most: ${JSON.stringify(seen)}`);
    for (const each of ['exitMs', 'silenceMs', 'pages'] as const)
      expect({ [each]: seen[each] <= MOST[each] }).toEqual({ [each]: true });
  },
  120_000 + ROUNDS * 60_000,
);
