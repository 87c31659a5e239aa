import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type StartedTemporal, startTemporal } from '../../tools/local/start-temporal';
import { deliveryWorkflowId } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { runsOf } from './read-history';
import { TestFeed } from './test-feed';
import { temporaryFolder } from '../setup/temporary-folder';

// Temporal suggests it after thousands of events, which a second a try would take an hour to write.
const EVENTS = 40;

let temporal: StartedTemporal;
let feed: TestFeed;
beforeAll(async () => {
  const dir = temporaryFolder('long-wait');
  mkdirSync(path.join(dir, 'logs'));
  temporal = await startTemporal({
    dir,
    address: undefined,
    ports: { server: 0, ui: 0 },
    namespace: 'gdx-test',
    durable: false,
    dynamicConfig: [`limit.historyCount.suggestContinueAsNew=${EVENTS}`],
    log: () => undefined,
  });
  process.env.TEMPORAL_ADDRESS = temporal.address;
  feed = await TestFeed.start();
});
afterAll(() => temporal.part.stop());

test('a customer who asks for a second at a time for long fills no history, and gets everything in the end', async () => {
  const customer = await feed.addChannel('busy', {}, () => ({
    status: 429,
    headers: { 'retry-after': '1' },
  }));
  await feed.push('busy', ['tickets'], 3);
  await feed.deliverNow('busy');
  const id = deliveryWorkflowId('busy', 'tickets', 1);
  await eventually(async () => expect((await runsOf(feed.client, id)).length).toBeGreaterThan(2), 120_000);
  customer.script = () => 200;
  expect(await feed.closed('busy', 'tickets', 1)).toMatchObject({ status: 'delivered', records: 3 });
  const runs = await runsOf(feed.client, id);
  expect(Math.max(...runs.map(({ events }) => events.length))).toBeLessThan(2 * EVENTS);
  const { attempts = 0 } = await feed.report('busy', 'tickets', 1);
  expect(attempts).toBeGreaterThan(EVENTS / 11); // told of all runs, not of the last alone
});
