import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import type { LaneView } from '../../domain/deliveries/lane';
import { channelWorkflowId } from '../../workflows/messages';
import { type Desk, startDesk } from '../cli/start-desk';
import { textOf } from '../farmer/visitor';
import { type Ops, startOps } from '../ops/start-ops';
import { addTestChannel } from '../setup/add-test-channel';
import { quietRuntime } from '../setup/quiet-runtime';
import { eventually } from '../setup/eventually';

// A channel's lanes as reported by its workflow, in /ops and in gdx.
const LANES: LaneView[] = [
  { entity_type: 'accounts', state: 'held', until: '2126-11-21T11:00:00.000Z', why: null },
  { entity_type: 'contracts', state: 'idle', until: '2126-11-21T10:05:30.000Z', why: null },
  { entity_type: 'tickets', state: 'delivering', until: null, why: 'page 3 of 7' },
  {
    entity_type: 'settlements',
    state: 'waiting',
    until: '2126-11-21T10:05:30.000Z',
    why: 'Acme answered 503',
  },
];
const WORDS = [
  ['accounts', 'held back until 11:00:00'],
  ['contracts', 'idle until 10:05:30'],
  ['tickets', 'delivering page 3 of 7'],
  ['settlements', 'waiting: Acme answered 503, next try 10:05:30'],
] as const;

const namespace = process.env.TEMPORAL_NAMESPACE ?? 'gdx-test';
const address = process.env.TEMPORAL_ADDRESS!;
const taskQueue = `lanes-${randomUUID().slice(0, 8)}`;
const slug = (name: string) => `${name}-${taskQueue}`;
const AWAY = '127.0.0.1:1';

let client: Client;
let worker: Worker;
let running: Promise<void>;
let connection: NativeConnection;
let desk: Desk;
let ops: Ops;

beforeAll(async () => {
  quietRuntime();
  client = lazyClient({ env: process.env, address, namespace });
  connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./status-workflow');
  worker = await Worker.create({ connection, namespace, taskQueue, workflowsPath });
  running = worker.run();
  desk = await startDesk();
  ops = await startOps({
    store: desk.store,
    temporal: createChannelClient(lazyClient({ env: process.env, address, namespace }), taskQueue),
  });
  for (const name of ['says', 'none', 'ended'])
    await addTestChannel(desk.store, slug(name), 'https://acme.example');
  const workflowId = channelWorkflowId(slug('says'));
  await client.workflow.start('channelFeed', { workflowId, taskQueue, args: [LANES] });
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
  await client.connection.close();
});

/** A worker of a busy machine may not answer in time. */
const shown = (name: string) =>
  eventually(async () => {
    const run = await desk.gdx(['channel', 'show', slug(name)]);
    expect(run.stdout).not.toMatch(/No worker answered|Temporal is away/);
    return run;
  });
const page = async (name: string) => (await (await ops.signedIn()).get(`/ops/channels/${slug(name)}`)).html;

test('gdx channel show says what each entity type is doing', async () => {
  const table = await shown('says');
  for (const [type, words] of WORDS)
    expect(table.stdout).toMatch(new RegExp(`^now: ${type} +${words}$`, 'm'));
  await eventually(async () => {
    const run = await desk.gdx(['channel', 'show', slug('says'), '--json']);
    expect(run.json().lanes).toEqual(LANES);
  });
});

test('so does the channel’s page of /ops', async () => {
  await eventually(async () => {
    const text = textOf(await page('says'));
    for (const [type, words] of WORDS) expect(text).toContain(`${type} ${words}`);
  });
});

test.each(['none', 'ended'])(
  'a channel whose workflow does not run (%s): why, and everything else',
  async (name) => {
    const why = 'Its workflow does not run: lanes not known';
    if (name === 'ended') {
      const workflowId = channelWorkflowId(slug(name));
      await client.workflow.start('channelFeed', { workflowId, taskQueue, args: [LANES] });
      await client.workflow.getHandle(workflowId).terminate();
    }
    const { stdout } = await shown(name);
    expect(stdout).toMatch(new RegExp(`^now +${why}$`, 'm'));
    expect(stdout).toMatch(/^state +active$/m);
    expect((await desk.gdx(['channel', 'show', slug(name), '--json'])).json().lanes).toBeNull();
    await eventually(async () => expect(textOf(await page(name))).toContain(why));
  },
);

test('Temporal is down: readLanes says so, and everything else is shown', async () => {
  const { stdout, exitCode } = await desk.gdx(['channel', 'show', slug('says')], { TEMPORAL_ADDRESS: AWAY });
  expect(stdout).toMatch(/^now +Temporal is away: lanes not known$/m);
  expect(stdout).toMatch(/^state +active$/m);
  expect(exitCode).toBe(0);
});

test('the worker is down: readLanes says so within the timeout', async () => {
  const workflowId = channelWorkflowId(slug('nobody'));
  const handle = await client.workflow.start('channelFeed', { workflowId, taskQueue: `${taskQueue}-nobody` });
  const temporal = createChannelClient(lazyClient({ env: process.env, address, namespace }), taskQueue);
  const began = Date.now();
  expect(await temporal.lanes(slug('nobody'))).toEqual({
    known: null,
    why: 'No worker answered within 2 s: lanes not known',
  });
  expect(Date.now() - began).toBeLessThan(10_000);
  await handle.terminate();
  await temporal.close();
});
