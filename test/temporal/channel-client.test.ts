import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { coalesce } from '../../temporal/coalesce';
import { lazyClient } from '../../temporal/connect-temporal';
import { ensureTemporal } from '../../temporal/ensure-temporal';
import { createInspector } from '../../temporal/inspector';
import { channelWorkflowId, RECONCILE_ID } from '../../workflows/messages';
import { first, scaledTest, slowTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { decode } from '../workflows/read-history';
import { serveHere } from '../setup/serve-here';

describe('channel-client', () => {
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

  slowTest('a hundred resets at once are two signals, and the second names every type', async () => {
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

  slowTest('a customer who asks for every type in one second is answered for every type', async () => {
    const ask = (type: EntityType) => temporal.pageAskedFor(slug, { entity_types: [type], request_id: type });
    await Promise.all(ENTITY_TYPES.map(ask));
    expect((await signals()).map(({ arg }) => (arg as { entity_types: EntityType[] }).entity_types)).toEqual([
      ['accounts'],
      ['contracts', 'tickets', 'settlements'],
    ]);
  });

  test('a question does not wait for the second in which other signals are merged', async () => {
    const ask = () => temporal.pageAskedFor(slug, { entity_types: ['tickets'], request_id: 'asked' });
    await Promise.all([reset('tickets', 'first'), ask()]);
    const second = reset('tickets', 'second').then(() => 'reset');
    const questions = ask().then(ask);
    expect(await Promise.race([second, questions.then(() => 'questions')])).toBe('questions');
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

  slowTest('deliver now for some types and for all means all', async () => {
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

  nightlyTest('however long somebody signals, it is one signal a second', async () => {
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
    const { port } = await serveHere(silent);
    const address = `127.0.0.1:${port}`;
    const frozen = createChannelClient(lazyClient({ env: {}, address, namespace }), 'nobody', 300);
    const asked = frozen.deliverNow(slug, { request_id: 'r' });
    expect(await Promise.race([asked, after(5_000, 'still waiting')])).toBe(false);
    await frozen.close();
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

  test('a workflow that has ended by itself does not keep the next one from being stopped', async () => {
    await expect(temporal.stop(slug)).resolves.toBeUndefined();
    await oneToEnd();
  });

  slowTest('each caller learns that Temporal did not accept its signal', async () => {
    const away = createChannelClient(
      lazyClient({ env: {}, address: '127.0.0.1:1', namespace }),
      'nobody',
      300,
    );
    const signals = [1, 2, 3].map(() => away.deliverNow(slug, { request_id: 'r' }));
    expect(await Promise.all(signals)).toEqual([false, false, false]);
    await away.close();
    await oneToEnd();
  });
});

describe('coalesce', () => {
  beforeEach(() => void jest.useFakeTimers());

  afterEach(() => void jest.useRealTimers());

  /** What was sent, merged with a plus. */
  function sender() {
    const sent: string[] = [];
    const { signal } = coalesce<string>(
      async (slug, arg) => sent.push(`${slug} ${arg}`) > 0,
      (one, later) => `${one}+${later}`,
    );
    return { sent, signal: (slug: string, arg: string) => void signal(slug, arg) };
  }

  test('after a merged signal the next one waits a second too; after a second without any it goes at once', async () => {
    const { sent, signal } = sender();
    for (const arg of ['a', 'b', 'c']) signal('acme', arg);
    expect(sent).toEqual(['acme a']);
    await jest.advanceTimersByTimeAsync(1_000);
    signal('acme', 'd');
    await jest.advanceTimersByTimeAsync(999);
    expect(sent).toEqual(['acme a', 'acme b+c']);
    await jest.advanceTimersByTimeAsync(1);
    expect(sent.slice(2)).toEqual(['acme d']);
    await jest.advanceTimersByTimeAsync(1_000);
    signal('acme', 'e');
    expect(sent.slice(3)).toEqual(['acme e']);
  });

  test('a channel waits for no other', async () => {
    const { sent, signal } = sender();
    for (const slug of ['acme', 'acme', 'bison', 'bison']) signal(slug, 'a');
    expect(sent).toEqual(['acme a', 'bison a']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sent.slice(2)).toEqual(['acme a', 'bison a']);
  });
});

describe('ensure-temporal', () => {
  const DAY_S = 86_400;
  let client: Client;
  let namespace: string;

  beforeEach(() => {
    namespace = `ensured-${randomUUID().slice(0, 8)}`;
    client = lazyClient({ env: process.env, address: process.env.TEMPORAL_ADDRESS!, namespace });
  });

  afterEach(() => client.connection.close());

  const ensure = () =>
    ensureTemporal(client, { namespace, taskQueue: 'nobody', reconcileEveryMs: 3_600_000 });
  const inspector = () => createInspector(client, { namespace, taskQueue: 'nobody' });

  /** The namespace exists already, as on the local server. */
  async function makeNamespace(days: number): Promise<void> {
    const kept = { seconds: (days * DAY_S) as never };
    await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: kept });
    await eventually(() => client.workflowService.describeNamespace({ namespace }));
  }

  slowTest('everything is made where nothing is, and made once', async () => {
    expect(await ensure()).toEqual([]);
    expect(await inspector().namespace()).toEqual({ retentionDays: 90 });
    await eventually(async () => expect(await inspector().missingSearchAttributes()).toEqual([]));
    expect(await inspector().schedule()).toMatchObject({ every: 3_600_000 });
    expect(await eventually(ensure)).toEqual([]);
  });

  test('a namespace that was there already keeps its closed workflows 90 days from then on', async () => {
    await makeNamespace(1);
    expect(await eventually(ensure)).toEqual([]);
    expect(await inspector().namespace()).toEqual({ retentionDays: 90 });
  });

  test.each([7, 365])('one that keeps them %i days, on an operator’s word, is left alone', async (days) => {
    await makeNamespace(days);
    await eventually(ensure);
    expect(await inspector().namespace()).toEqual({ retentionDays: days });
  });

  /** A server's permission error. */
  const refused = (code: number) => () =>
    Promise.reject(Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} }));
  const [PERMISSION_DENIED, UNIMPLEMENTED] = [7, 12];

  /** As on Temporal Cloud, where namespaces and search attributes are made elsewhere. */
  function mayNot(code: number): void {
    const { workflowService, connection } = client;
    const { operatorService } = connection as unknown as { operatorService: object };
    Object.assign(workflowService, { registerNamespace: refused(code), updateNamespace: refused(code) });
    Object.assign(operatorService, {
      listSearchAttributes: refused(code),
      addSearchAttributes: refused(code),
    });
  }

  scaledTest.each(first(1, [PERMISSION_DENIED, UNIMPLEMENTED]))(
    'where it may not (%d), it says what is missing and the command, and makes the rest',
    async (code) => {
      await makeNamespace(3);
      mayNot(code);
      const [retention, attributes, ...more] = await eventually(ensure);
      expect([retention, attributes]).toEqual([
        {
          missing: 'closed workflows are kept 3 days, not 90',
          command: `temporal operator namespace update --namespace ${namespace} --retention 90d`,
        },
        {
          missing: expect.stringMatching(/^search attributes GdxChannel, .*, GdxRecords: no channel starts/),
          command: `temporal operator search-attribute create --namespace ${namespace} --name GdxChannel --type Keyword --name GdxEntityType --type Keyword --name GdxOutcome --type Keyword --name GdxTrigger --type Keyword --name GdxRecords --type Int`,
        },
      ]);
      expect(more).toEqual([]);
      expect(await client.schedule.getHandle(RECONCILE_ID).describe()).toMatchObject({
        state: { paused: false },
      });
    },
  );

  test('where it may not and somebody has made all of it, nothing is missing', async () => {
    await makeNamespace(90);
    await eventually(ensure);
    await eventually(async () => expect(await inspector().missingSearchAttributes()).toEqual([]));
    mayNot(PERMISSION_DENIED);
    expect(await eventually(ensure)).toEqual([]);
  });

  test('without a namespace nothing works: the command is in the error', async () => {
    mayNot(PERMISSION_DENIED);
    await expect(ensure()).rejects.toThrow(
      `temporal operator namespace create --namespace ${namespace} --retention 90d`,
    );
  });
});
