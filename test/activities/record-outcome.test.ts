import pino from 'pino';
import { createRecordOutcome } from '../../activities/record-outcome';
import { NOTHING_YET, type Outcome } from '../../domain/delivery';
import { deliveriesClosed as counted, deliveryDuration, deliveryRecords } from '../../metrics/instruments';
import { listAlerts } from '../../store/feed/alerts';
import type { Store } from '../../store/store';
import { type DeliveryDocument, findDeliveries } from '../../store/feed/deliveries';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { asActivity } from '../setup/as-activity';
import { emptyStore } from '../setup/open-store';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example', { name: 'Acme' });
  for (const metric of [counted, deliveryDuration, deliveryRecords]) metric.reset();
});

const FAILED: Outcome = {
  channel: 'acme',
  entity_type: 'tickets',
  catch_up: false,
  run: 7,
  trigger: 'reset',
  request_id: 'customer-7',
  from: 0,
  to: 9,
  totals: NOTHING_YET,
  attempts: 3,
  duration_ms: 12,
  status: 'failed',
  failure: 'unauthorized',
  failure_message: 'Acme answered 401',
};

/** Runs the activity in an activity context, as a worker does. */
function record(outcome: Outcome, on = store) {
  const lines: object[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  const { temporal, signals } = hearingSignals();
  const recordOutcome = createRecordOutcome({ store: on, temporal, log, retentionDays: 400 });
  return { run: asActivity(`delivery/acme/tickets/${outcome.run}`, recordOutcome, outcome), lines, signals };
}

const counts = async () => (await counted.get()).values.map(({ labels, value }) => [labels.status, value]);
const report = async () => (await findDeliveries(store, 'acme', { limit: 2 })) as [DeliveryDocument];

test('an outcome whose answer was lost is recorded again, and nothing is counted, judged or told twice', async () => {
  const first = record(FAILED);
  expect(await first.run).toBe(1);
  const again = record({ ...FAILED, duration_ms: 99 });
  await again.run;
  expect(await counts()).toEqual([['failed', 1]]);
  expect([first.lines.length, again.lines.length]).toEqual([1, 0]);
  expect(first.lines[0]).toMatchObject({ request_id: 'customer-7', delivery: 'delivery/acme/tickets/7' });
  const [closed, ...more] = await report();
  expect(more).toEqual([]);
  expect(closed).toMatchObject({ status: 'failed', duration_ms: 12, request_id: 'customer-7' });
  expect(closed.judged).toMatchObject({ streak: { failure: 'unauthorized' }, pause: null });
  expect(await listAlerts(store, { all: true })).toMatchObject([{ notices: [{ kind: 'opened' }] }]);
});

test('one that died between closing and judging is judged by the next try', async () => {
  const dies = rewire(store, async (call) => {
    if (call.collection === 'channels') throw new Error('the worker died');
    return call.run();
  });
  await expect(record(FAILED, dies).run).rejects.toThrow('died');
  expect((await report())[0].judged).toBeUndefined();
  expect(await record(FAILED).run).toBe(1);
  expect((await report())[0].judged).toBeDefined();
  expect(await counts()).toEqual([['failed', 1]]);
  expect(await listAlerts(store)).toHaveLength(1);
});

test('a delivery that never reached MongoDB leaves its report with its end', async () => {
  await record({ ...FAILED, failure: 'infrastructure', failure_message: 'our own side' }).run;
  expect(await report()).toMatchObject([
    { status: 'failed', failure: 'infrastructure', trigger: 'reset', from: 0, to: 9, run: 7 },
  ]);
  expect(await listAlerts(store)).toMatchObject([{ class: 'infrastructure' }]);
});

test('its records, and the milliseconds that it took, are counted with it', async () => {
  const totals = { ...NOTHING_YET, pages: 1, records: 5 };
  await record({ ...FAILED, status: 'delivered', failure: null, failure_message: null, totals }).run;
  const { values } = await deliveryRecords.get();
  expect(values).toMatchObject([{ labels: { channel: 'acme', entity_type: 'tickets' }, value: 5 }]);
  const took = (await deliveryDuration.get()).values.find(({ metricName }) => metricName?.endsWith('_sum'));
  expect(took).toMatchObject({ labels: { entity_type: 'tickets', status: 'delivered' }, value: 12 });
});

test('a workflow whose channel was paused is told so at once, and no other', async () => {
  const failed = record(FAILED);
  await failed.run;
  const gone = record({ ...FAILED, run: 8, failure: 'gone', failure_message: 'Acme answered 410' });
  await gone.run;
  const told = { slug: 'acme', signal: 'settingsChanged', args: [{ reason: 'paused' }] };
  expect([failed.signals, gone.signals]).toEqual([[], [told]]);
});

test('the end of one that a newer one has closed says nothing any more', async () => {
  await record(FAILED).run;
  await store.db
    .collection('deliveries')
    .updateOne({}, { $set: { status: 'superseded' }, $unset: { judged: 1 } });
  await record(FAILED).run;
  expect(await report()).toMatchObject([{ status: 'superseded' }]);
  expect((await report())[0].judged).toBeUndefined();
});
