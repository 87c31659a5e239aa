import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { type EntityType, ENTITY_TYPES } from '../../domain/entity-types';
import { channelWorkflowId } from '../../workflows/messages';
import { decode } from '../workflows/read-history';
import { slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';

// Signals as they arrive in the channel's history. No worker polls the task queue.
const namespace = process.env.TEMPORAL_NAMESPACE ?? 'gdx-test';
const timestamp = '2026-01-01T00:00:00.000Z';
const connect = () => lazyClient({ env: process.env, address: process.env.TEMPORAL_ADDRESS!, namespace });

let looking: Client;
let temporal: ChannelClient;
let slug: string;

beforeAll(() => {
  looking = connect();
});
afterAll(() => looking.connection.close());

beforeEach(() => {
  slug = `temporal-${randomUUID().slice(0, 8)}`;
  temporal = createChannelClient(connect(), 'nobody', 20_000);
});
afterEach(async () => {
  await temporal.close();
  await looking.workflow.getHandle(channelWorkflowId(slug)).terminate();
});

async function signals(): Promise<{ name: string; arg: unknown }[]> {
  const { events } = await looking.workflow.getHandle(channelWorkflowId(slug)).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
    signal ? { name: signal.signalName!, arg: decode(signal.input?.payloads?.[0]) } : [],
  );
}

const TIMERS = [
  ...([
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
  ] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout'] as const),
];

const reset = (type: EntityType, request_id: string) =>
  temporal.markerReset(slug, { entity_types: [type], timestamp, request_id });

test('a hundred resets at once are two signals, and the second names every type', async () => {
  const first = reset('settlements', 'first');
  const later = Array.from({ length: 99 }, (_, index) => reset(ENTITY_TYPES[index % 3]!, `later-${index}`));
  expect(await first).toBe(true);
  expect(new Set(await Promise.all(later))).toEqual(new Set([true]));
  expect(await signals()).toEqual([
    { name: 'markerReset', arg: { entity_types: ['settlements'], timestamp, request_id: 'first' } },
    {
      name: 'markerReset',
      arg: { entity_types: ['accounts', 'contracts', 'tickets'], timestamp, request_id: 'later-98' },
    },
  ]);
});

test('a customer who asks for every type in one second is answered for every type', async () => {
  const ask = (type: EntityType) => temporal.pageAskedFor(slug, { entity_types: [type], request_id: type });
  await Promise.all(ENTITY_TYPES.map(ask));
  expect((await signals()).map(({ arg }) => (arg as { entity_types: EntityType[] }).entity_types)).toEqual([
    ['accounts'],
    ['contracts', 'tickets', 'settlements'],
  ]);
});

test('only signals of one kind are merged', async () => {
  await Promise.all([
    reset('tickets', 'reset'),
    temporal.deliverNow(slug, { request_id: 'now' }),
    temporal.subscriptionsChanged(slug, { request_id: 'shared' }),
    temporal.settingsChanged(slug, 'paused'),
  ]);
  const kinds = (await signals()).map(({ name }) => name).sort();
  expect(kinds).toEqual(['deliverNow', 'markerReset', 'settingsChanged', 'subscriptionsChanged']);
});

test('deliver now for some types and for all means all', async () => {
  await Promise.all([
    temporal.deliverNow(slug, { request_id: 'first' }),
    temporal.deliverNow(slug, { request_id: 'some', entity_types: ['tickets'] }),
    temporal.deliverNow(slug, { request_id: 'all' }),
    temporal.deliverNow(slug, { request_id: 'others', entity_types: ['accounts'] }),
  ]);
  const sent = await signals();
  expect(sent).toHaveLength(2);
  expect(sent).toContainEqual({ name: 'deliverNow', arg: { request_id: 'others' } });
});

slowTest('however long somebody signals, it is one signal a second', async () => {
  const began = Date.now();
  const calls: Promise<boolean>[] = [];
  while (Date.now() < began + 2_500) {
    calls.push(reset('tickets', 'again'));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(calls);
  const seconds = (Date.now() - began) / 1_000;
  expect((await signals()).length).toBeLessThanOrEqual(seconds + 1);
  expect(calls.length).toBeGreaterThan(2 * seconds);
});

test('closing sends what waits, at once', async () => {
  jest.useFakeTimers({ doNotFake: TIMERS.filter((name) => name !== 'setTimeout') }); // no second ever ends
  await reset('tickets', 'first');
  const merged = reset('accounts', 'merged');
  const others = ['first', 'merged'].map((request_id) => [
    temporal.subscriptionsChanged(slug, { request_id }),
    temporal.deliverNow(slug, { request_id }),
    temporal.pageAskedFor(slug, { request_id, entity_types: ['tickets'] }),
    temporal.settingsChanged(slug, 'released', request_id),
  ]);
  await Promise.all(others[0]!);
  await temporal.close();
  expect(await merged).toBe(true);
  jest.useRealTimers();
  const sent = (await signals()) as { name: string; arg: { request_id: string } }[];
  expect(
    sent
      .filter(({ arg }) => arg.request_id === 'merged')
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...['deliverNow', 'markerReset', 'pageAskedFor', 'settingsChanged', 'subscriptionsChanged']]);
  expect(sent).toContainEqual({
    name: 'markerReset',
    arg: { entity_types: ['accounts'], timestamp, request_id: 'merged' },
  });
});

const oneToEnd = () => temporal.deliverNow(slug, { request_id: 'so that there is one to end' });

test('a Temporal that takes the connection and says nothing holds up no request', async () => {
  const taken: Socket[] = [];
  const silent = createServer((socket) => void taken.push(socket));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const frozen = createChannelClient(lazyClient({ env: {}, address, namespace }), 'nobody', 300);
  const asked = frozen.deliverNow(slug, { request_id: 'r' });
  expect(await Promise.race([asked, after(5_000, 'still waiting')])).toBe(false);
  await frozen.close();
  silent.close();
  for (const socket of taken) socket.destroy();
  await oneToEnd();
});

test('a test page that no worker posts in time is never posted', async () => {
  const asked = temporal.testEndpoint(slug);
  const handle = looking.workflow.getHandle(`test/${slug}`);
  const { raw } = await eventually(() => handle.describe());
  expect(Number(raw.executionConfig?.workflowExecutionTimeout?.seconds)).toBe(20);
  await handle.terminate();
  expect(await asked).toBeUndefined();
  await oneToEnd();
});

test('a workflow that has ended by itself is no reason not to stop the next', async () => {
  await expect(temporal.stop(slug)).resolves.toBeUndefined();
  await oneToEnd();
});

test('each caller learns that Temporal did not accept its signal', async () => {
  const away = createChannelClient(lazyClient({ env: {}, address: '127.0.0.1:1', namespace }), 'nobody', 300);
  const signals = [1, 2, 3].map(() => away.deliverNow(slug, { request_id: 'r' }));
  expect(await Promise.all(signals)).toEqual([false, false, false]);
  await away.close();
  await oneToEnd();
});
