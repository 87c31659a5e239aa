import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { isSampled } from '../../domain/settings/tracing';
import { findRecord } from '../../store/records/records';
import type { Store } from '../../store/store';
import { type OpenTelemetry, openTelemetry } from '../../telemetry/open-telemetry';
import { startTracing } from '../../telemetry/start-tracing';
import { withScene } from '../commit-order/scene';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { OtlpReceiver } from './otlp-receiver';

const log = pino({ level: 'silent' });
const SERVICE = { name: 'gdx-api', version: '1.2.3' };
const traceOf = (digit: string) => digit.repeat(32);
const parentOf = (digit: string, flags = '01') => `00-${traceOf(digit)}-${digit.repeat(16)}-${flags}`;

let receiver: OtlpReceiver;
let opened: OpenTelemetry;
let store: Store;
beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  opened = openTelemetry(receiver.url, SERVICE, log);
  store = await emptyStore();
  store.tracing = opened.tracing;
});
afterAll(() => opened.close());

const push = (id: string, trace: string) =>
  pushRecords(store, { tickets: [{ id, account_id: '1001' }] }, undefined, trace);

test('pushes that go together: the transaction is in the trace of the first, and linked to those of the others', async () => {
  // The first goes alone, and the others wait for it.
  await Promise.all([push('T1', parentOf('1')), push('T2', parentOf('2')), push('T3', parentOf('3'))]);
  await opened.flush();
  const transactions = receiver.spans.filter(({ name }) => name === 'transaction');
  expect(transactions.map(({ traceId, links }) => [traceId, links])).toEqual([
    [traceOf('1'), []],
    [traceOf('2'), [{ traceId: traceOf('3'), spanId: '3'.repeat(16) }]],
  ]);
  expect((await findRecord(store, 'tickets', '42-T3'))!.trace).toBe(parentOf('3'));
});

test('of a push that is not sampled nothing is kept', async () => {
  const before = receiver.spans.length;
  await push('T4', parentOf('4', '00'));
  await opened.flush();
  expect(receiver.spans.slice(before)).toEqual([]);
  expect(await findRecord(store, 'tickets', '42-T4')).not.toHaveProperty('trace');
  expect([parentOf('1', '03'), parentOf('1', '02')].map(isSampled)).toEqual([true, false]);
});

test('a step that fails says what kind of error it was, and not its message', async () => {
  const failing = opened.tracing.inSpan('fails', { parent: '7015550142' }, async () => {
    throw new TypeError('of 701-555-0142');
  });
  await expect(failing).rejects.toThrow(TypeError);
  await opened.flush();
  const [span] = receiver.spans.filter(({ name }) => name === 'fails');
  expect(span).toMatchObject({
    status: 2,
    parentSpanId: undefined,
    attributes: { 'error.type': 'TypeError' },
  });
  expect(receiver.written).not.toMatch(/701-?555/); // an id of a span may hold any three digits
});

test('a page tells its customer its span, which is linked to the pushes that its records come from', () =>
  withScene(10, async (scene) => {
    scene.store.tracing = opened.tracing;
    for (const digit of ['5', '6', '6'])
      await pushRecords(
        scene.store,
        { tickets: [{ id: randomUUID(), account_id: '1001' }] },
        undefined,
        parentOf(digit),
      );
    await scene.run();
    await opened.flush();
    const [page] = receiver.spans.filter(({ name }) => name === 'POST /feed');
    expect(page!.links).toEqual(
      ['5', '6'].map((digit) => ({ traceId: traceOf(digit), spanId: digit.repeat(16) })),
    );
    const [posted] = scene.customer.pages;
    expect(posted!.headers['traceparent']).toBe(`00-${page!.traceId}-${page!.spanId}-01`);
    expect(page!.attributes).toMatchObject({ request_id: posted!.headers['x-request-id'], records: 3 });
  }));

test('without an endpoint there are none', async () => {
  expect(await startTracing(undefined, SERVICE, log)).toBeUndefined();
});
