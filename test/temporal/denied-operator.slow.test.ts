import { ensureTemporal } from '../../temporal/ensure-temporal';
import { eventually } from '../setup/eventually';
import { TestFeed } from '../workflows/test-feed';
import { WorkerProcess } from '../workflows/worker-process';
import { startTemporalProxy } from './temporal-proxy';

type Proxy = Awaited<ReturnType<typeof startTemporalProxy>>;

let proxy: Proxy;
let feed: TestFeed<WorkerProcess> | undefined;
beforeAll(async () => {
  const address = process.env.TEMPORAL_ADDRESS!;
  proxy = await startTemporalProxy(address, { denies: true });
  feed = await TestFeed.startWith(async (_, databaseUri) => {
    const worker = await WorkerProcess.behind(proxy.address, databaseUri);
    const { client, taskQueue } = worker;
    const wanted = { namespace: client.options.namespace, taskQueue, reconcileEveryMs: 3_600_000 };
    // The namespace and its search attributes, made beforehand by somebody who may.
    await eventually(() => ensureTemporal(client, wanted));
    await eventually(async () => expect(await ensureTemporal(client, wanted)).toEqual([]));
    await worker.launch();
    return worker;
  });
});

test('a worker whose credential may call nothing of an operator’s starts and delivers', async () => {
  const customer = await feed!.addChannel('cloud');
  await feed!.push('cloud', ['tickets'], 5);
  await feed!.deliverNow('cloud');
  expect(await feed!.closed('cloud', 'tickets', 1)).toMatchObject({ status: 'delivered', records: 5 });
  expect(feed!.held(customer, 'tickets')).toEqual([1, 2, 3, 4, 5]);
  expect(proxy.denied.length).toBeGreaterThan(0); // it did ask, and went on
  expect(feed!.worker.log).not.toMatch(/"level":"(error|fatal)"/);
});
