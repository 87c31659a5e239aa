import pino from 'pino';
import { notePlan } from '../../activities/plan-run';
import { createRecordOutcome } from '../../activities/record-outcome';
import { watchChannels } from '../../activities/watch';
import { NOTHING_YET, type Outcome } from '../../domain/deliveries/delivery';
import type { EntityType } from '../../domain/records/entity-types';
import { deliveriesClosed as counted, deliveryDuration, deliveryRecords } from '../../telemetry/instruments';
import { listAlerts, raiseAlert } from '../../store/alerts/alerts';
import { findChannel, listChannels, pauseChannel, resumeChannel } from '../../store/channels/channels';
import { type DeliveryDocument, findDeliveries } from '../../store/deliveries/deliveries';
import { startMarker } from '../../store/markers/markers';
import type { Store } from '../../store/store';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { addTestChannel } from '../setup/add-test-channel';
import { asActivity } from '../setup/as-activity';
import { closeReport, type End, endDelivery } from '../setup/end-delivery';
import { emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example', { name: 'Acme' });
});

describe('judge-outcome', () => {
  // In the future, after every time that the store sets itself.
  const START = Date.now() + 60_000;
  const at = (hours: number) => new Date(START + hours * 3_600_000);

  const ends = (end: Omit<End, 'channel'>, hours: number) =>
    endDelivery(store, { channel: 'acme', ...end }, at(hours));
  const acme = async () => (await findChannel(store, 'acme'))!;

  const told = async () =>
    (await listAlerts(store, { all: true })).map(
      (alert) => `${alert.class} ${alert.state}: ${alert.notices.map(({ kind }) => kind).join(' ')}`,
    );
  const watch = async (hours: number) => watchChannels(store, await listChannels(store), at(hours));

  slowTest('a failure alerts once; the success of what failed resolves it', async () => {
    expect(await ends({ failure: 'unauthorized' }, 0)).toBe(1);
    expect(await ends({ failure: 'unauthorized' }, 1)).toBe(0);
    expect((await acme()).failing).toEqual({ since: at(0), failure: 'unauthorized', failure_since: at(0) });
    expect(await told()).toEqual(['unauthorized open: opened']);
    expect(await ends({}, 2)).toBe(1);
    expect(await told()).toEqual(['unauthorized resolved: opened resolved']);
    const channel = await acme();
    expect([channel.failing, channel.fresh_at]).toEqual([undefined, at(2)]);
    expect(await ends({}, 3)).toBe(0);
  });

  slowTest(
    'another entity type’s success does not resolve it, yet keeps the channel from pausing',
    async () => {
      for (const hours of [0, 1, 12, 24, 36]) {
        await ends({ failure: 'unauthorized' }, hours);
        await ends({ type: 'accounts', pages: 1 }, hours);
      }
      expect(await told()).toEqual(['unauthorized open: opened']);
      expect((await acme()).state).toBe('active');
      await ends({ type: 'tickets', catchUp: true }, 37); // a catch-up is something else
      expect(await told()).toEqual(['unauthorized open: opened']);
      await ends({ type: 'tickets' }, 38);
      expect(await told()).toEqual(['unauthorized resolved: opened resolved']);
    },
  );

  slowTest('a page before a failure resolves what failed otherwise, and not the failure itself', async () => {
    await ends({ failure: 'unauthorized' }, 0);
    await ends({ failure: 'throttled', pages: 3 }, 1);
    expect(await told()).toEqual(['unauthorized resolved: opened resolved', 'throttled open: opened']);
    await ends({ failure: 'throttled', pages: 3 }, 2);
    expect(await told()).toHaveLength(2);
  });

  slowTest('what a reset or a resize ends says nothing of the customer', async () => {
    await ends({ failure: 'unauthorized' }, 0);
    await ends({ status: 'superseded' }, 1);
    expect(await told()).toEqual(['unauthorized open: opened']);
    expect((await acme()).failing).toMatchObject({ since: at(0) });
    await ends({ status: 'superseded', pages: 1 }, 2);
    expect(await told()).toEqual(['unauthorized resolved: opened resolved']);
  });

  test('what is not planned any more cannot fail: it is resolved', async () => {
    await ends({ failure: 'unauthorized' }, 0);
    const window = {
      entity_type: 'tickets',
      catch_up: false,
      generation: 0,
      from: 0,
      to: 1,
      records: 1,
      read: 'range',
      more: false,
      unanswered: false,
    } as const;
    const planned = (await acme()).entity_types;
    await notePlan(store, await acme(), { planned, windows: [window] });
    expect([await told(), (await acme()).fresh_at]).toEqual([['unauthorized open: opened'], undefined]);
    await notePlan(store, await acme(), { planned, windows: [] });
    expect(await told()).toEqual(['unauthorized resolved: opened resolved']);
    expect((await acme()).fresh_at).toBeInstanceOf(Date);
    await ends({ failure: 'unauthorized' }, 24); // alone after a day without a failure
    expect((await acme()).state).toBe('active');
  });

  test('a channel that had nothing left to send of what failed is called stale as any other', async () => {
    await ends({ failure: 'unavailable' }, 0);
    await notePlan(store, await acme(), { planned: (await acme()).entity_types, windows: [] });
    await store.db.collection('channels').updateOne({}, { $set: { fresh_at: at(1) } });
    await watch(3.1);
    expect((await told()).toSorted()).toEqual([
      'stale open: opened',
      'unavailable resolved: opened resolved',
    ]);
  });

  slowTest('401 for 24 hours pauses with a reason and a notice; resume starts the clock anew', async () => {
    for (const hours of [0, 12, 23]) await ends({ failure: 'unauthorized' }, hours);
    expect((await acme()).state).toBe('active');
    expect(await ends({ failure: 'unauthorized' }, 24)).toBe(1);
    const reason =
      'Acme answered 401 for 24 hours: check the channel’s authorization, then gdx channel resume acme';
    expect(await acme()).toMatchObject({ state: 'paused', paused: { reason } });
    const [alert] = await listAlerts(store);
    expect(alert!.notices.at(-1)).toMatchObject({
      kind: 'paused',
      message: `${reason}. The channel is paused; nothing is lost.`,
    });
    expect(await ends({ failure: 'unauthorized' }, 24.1)).toBe(0); // one that was still under way

    await resumeChannel(store, 'acme');
    expect((await acme()).failing).toBeUndefined();
    await ends({ failure: 'unauthorized' }, 30);
    await ends({ failure: 'unauthorized' }, 53);
    expect((await acme()).state).toBe('active');
    await ends({ failure: 'unauthorized' }, 54);
    expect((await acme()).state).toBe('paused');
    expect(await told()).toEqual(['unauthorized open: opened paused paused']);
  });

  test('410 pauses at once', async () => {
    expect(await ends({ failure: 'gone' }, 0)).toBe(2);
    expect((await acme()).paused?.reason).toMatch(
      /whether the feed is still wanted, then gdx channel resume acme$/,
    );
    expect(await told()).toEqual(['gone open: opened paused']);
  });

  slowTest('five days of nothing but failures pause', async () => {
    for (let hours = 0; hours <= 119; hours += 7)
      await ends({ failure: hours % 2 ? 'unavailable' : 'misconfigured' }, hours);
    expect((await acme()).state).toBe('active');
    await ends({ failure: 'unavailable' }, 120);
    expect((await acme()).paused?.reason).toMatch(/^Acme confirmed nothing for five days/);
  });

  test('an operator’s own pause keeps its reason', async () => {
    await pauseChannel(store, 'acme', 'their maintenance');
    await ends({ failure: 'gone' }, 0);
    expect((await acme()).paused?.reason).toBe('their maintenance');
    expect(await told()).toEqual(['gone open: opened']);
  });

  test('an alert of a day is told of again, once, unless its channel is paused', async () => {
    await ends({ failure: 'misconfigured' }, 0);
    const day = async () => (await told()).filter((line) => line.startsWith('misconfigured'));
    await ends({ type: 'accounts' }, 23);
    await watch(23);
    expect(await day()).toEqual(['misconfigured open: opened']);
    await watch(24);
    await watch(25);
    expect(await day()).toEqual(['misconfigured open: opened day']);
    await ends({ failure: 'gone' }, 26);
    await watch(60);
    expect((await told()).find((line) => line.startsWith('gone'))).toBe('gone open: opened paused');
  });

  test('a channel is stale two cadences after its last confirmed page or empty run, and not while it is paused', async () => {
    await watch(1.9);
    expect(await told()).toEqual([]);
    await watch(2.1);
    await watch(3);
    expect(await told()).toEqual(['stale open: opened']);
    expect((await listAlerts(store))[0]!.message).toMatch(
      /^Acme has confirmed nothing.*a run is due every 1h/,
    );

    await startMarker(store, 'acme', 'tickets', 0); // a page of a delivery that is still under way
    const markers = store.db.collection('markers');
    await markers.updateOne({}, { $set: { delivered_at: at(3) } });
    await watch(4);
    expect(await told()).toEqual(['stale resolved: opened resolved']);
    await watch(5.1);
    expect((await told())[1]).toBe('stale open: opened');
    await pauseChannel(store, 'acme', 'audit');
    await watch(6);
    expect((await told())[1]).toBe('stale resolved: opened resolved');
    await watch(50);
    expect(await told()).toHaveLength(2);
  });

  test('a confirmed page ends that a channel is stale, at once', async () => {
    await watch(2.1);
    expect(await told()).toEqual(['stale open: opened']);
    await ends({}, 2.2);
    expect(await told()).toEqual(['stale resolved: opened resolved']);
  });

  test('after a stop a channel is stale only once its run could have been made', async () => {
    const began = at(5);
    const watchAt = (hours: number) => acme().then((one) => watchChannels(store, [one], at(hours), began));
    await watchAt(5 + 9 / 60);
    expect(await told()).toEqual([]);
    await watchAt(5 + 11 / 60);
    expect(await told()).toEqual(['stale open: opened']);
  });

  test('beside an open failure a channel is not called stale as well, and no longer once it fails', async () => {
    await ends({ failure: 'unavailable' }, 0);
    await watch(5);
    expect(await told()).toEqual(['unavailable open: opened']);
    await ends({}, 6);
    await watch(8.5);
    expect((await told()).filter((line) => line.startsWith('stale'))).toEqual(['stale open: opened']);
    await ends({ failure: 'unavailable' }, 9);
    await watch(9.1);
    expect((await told()).filter((line) => line.startsWith('stale'))).toEqual([
      'stale resolved: opened resolved',
    ]);
  });

  test('beside a failure of our own it is called stale: its customer is told of that alone', async () => {
    await ends({ failure: 'infrastructure' }, 0);
    await watch(5);
    expect((await told()).toSorted()).toEqual(['infrastructure open: opened', 'stale open: opened']);
    await ends({}, 6);
    expect((await told()).every((line) => line.includes('resolved'))).toBe(true);
  });

  test('a delivery that posted nothing says nothing of the customer', async () => {
    await ends({ failure: 'unauthorized' }, 0);
    expect(await ends({ catchUp: true, pages: 0 }, 1)).toBe(0);
    expect((await acme()).failing).toMatchObject({ failure: 'unauthorized' });
  });

  test('a pause that comes late does not undo a resume', async () => {
    await ends({ failure: 'unauthorized' }, 0);
    const halt = stopHere();
    const real = store;
    store = rewire(real, async (call) => {
      const set = call.args[1]?.['$set'] as { state?: string } | undefined;
      if (set?.state === 'paused') await halt.here();
      return call.run();
    });
    const late = ends({ failure: 'unauthorized' }, 24);
    await halt.reached;
    store = real;
    await ends({ failure: 'unauthorized' }, 24);
    await resumeChannel(store, 'acme');
    halt.goOn();
    await late;
    expect((await acme()).state).toBe('active');
  });

  test('two failures that pause at the same moment tell of one pause', async () => {
    await ends({ failure: 'unavailable' }, 0);
    const halt = stopHere();
    const real = store;
    store = rewire(real, async (call) => {
      const set = call.args[1]?.['$set'] as { state?: string } | undefined;
      if (set?.state === 'paused') await halt.here();
      return call.run();
    });
    const late = ends({ failure: 'unavailable' }, 120);
    await halt.reached;
    store = real;
    await ends({ failure: 'refused', type: 'accounts' }, 120);
    halt.goOn();
    expect(await late).toBe(0);
    expect((await told()).toSorted()).toEqual(['refused open: opened paused', 'unavailable open: opened']);
  });

  test('an end is judged once, whatever its siblings do until it is judged again', async () => {
    const judge = await closeReport(store, { channel: 'acme', failure: 'unauthorized' });
    expect(await judge(at(0))).toEqual({ notices: 1, paused: false });
    await ends({ type: 'accounts' }, 1);
    expect((await acme()).failing).toBeUndefined();
    expect(await judge(at(2))).toEqual({ notices: 0, paused: false });
    expect((await acme()).failing).toBeUndefined();
    expect(await told()).toEqual(['unauthorized open: opened']);
  });

  test('one that died before it alerted goes on where it was', async () => {
    const judge = await closeReport(store, { channel: 'acme', failure: 'gone' });
    const dies = rewire(store, async (call) => {
      if (call.method === 'insertOne') throw new Error('the worker died');
      return call.run();
    });
    await expect(judge(at(0), dies)).rejects.toThrow('died');
    expect(await told()).toEqual([]);
    expect(await judge(at(1))).toEqual({ notices: 2, paused: true });
    expect(await told()).toEqual(['gone open: opened paused']);
  });

  test('one that died as it told of the pause goes on there: no channel is paused without a notice', async () => {
    const judge = await closeReport(store, { channel: 'acme', failure: 'gone' });
    const dies = rewire(store, async (call) => {
      const pushed = call.args[1]?.['$push'] as { notices?: { kind: string } } | undefined;
      if (pushed?.notices?.kind === 'paused') throw new Error('the worker died');
      return call.run();
    });
    await expect(judge(at(0), dies)).rejects.toThrow('died');
    expect(await judge(at(1))).toEqual({ notices: 1, paused: true });
    expect((await acme()).state).toBe('paused');
    expect(await told()).toEqual(['gone open: opened paused']);
  });

  slowTest('a sibling that confirms while a failure is judged is not forgotten', async () => {
    await ends({ failure: 'unavailable' }, 0);
    const halt = stopHere();
    const late = await closeReport(store, { channel: 'acme', failure: 'unavailable', type: 'accounts' });
    let halted = false;
    const slow = rewire(store, async (call) => {
      const set = call.args[1]?.['$set'] as { failing?: object } | undefined;
      if (set?.failing && !halted) {
        halted = true;
        await halt.here();
      }
      return call.run();
    });
    const judging = late(at(120), slow);
    await halt.reached;
    await ends({}, 119);
    halt.goOn();
    expect(await judging).toEqual({ notices: expect.any(Number), paused: false });
    expect(await acme()).toMatchObject({ state: 'active', failing: { since: at(120) } });
  });

  slowTest(
    'what our own side did has an alert of its own, and does not count as the customer’s failure',
    async () => {
      const message = 'our own side failed for ten minutes';
      for (let hours = 0; hours <= 144; hours += 12)
        await ends({ failure: 'infrastructure', message }, hours);
      expect((await acme()).failing).toBeUndefined();
      expect((await acme()).state).toBe('active');
      expect(await told()).toEqual(['infrastructure open: opened']);
      await ends({ type: 'accounts' }, 145);
      expect(await told()).toEqual(['infrastructure open: opened']);
      await ends({}, 146);
      expect(await told()).toEqual(['infrastructure resolved: opened resolved']);
    },
  );

  test('a channel that is fresh ends no alert of another, nor is it told of its day', async () => {
    await addTestChannel(store, 'bison', 'https://bison.example', { name: 'Bison' });
    await watch(2.1);
    expect(await told()).toEqual(['stale open: opened', 'stale open: opened']);
    await endDelivery(store, { channel: 'bison', type: 'tickets' }, at(25.5));
    await watch(26.2);
    const open = await listAlerts(store);
    expect(open.map(({ channel, notices }) => [channel, notices.map(({ kind }) => kind)])).toEqual([
      ['acme', ['opened', 'day']],
    ]);
  });
});

describe('record-outcome', () => {
  beforeEach(async () => {
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
    return {
      run: asActivity(`delivery/acme/tickets/${outcome.run}`, recordOutcome, outcome),
      lines,
      signals,
    };
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

  test('its records, and the seconds that it took, are counted with it', async () => {
    const totals = { ...NOTHING_YET, pages: 1, records: 5 };
    await record({ ...FAILED, status: 'delivered', failure: null, failure_message: null, totals }).run;
    const { values } = await deliveryRecords.get();
    expect(values).toMatchObject([{ labels: { channel: 'acme', entity_type: 'tickets' }, value: 5 }]);
    const took = (await deliveryDuration.get()).values.find(({ metricName }) => metricName?.endsWith('_sum'));
    expect(took).toMatchObject({ labels: { entity_type: 'tickets', status: 'delivered' }, value: 0.012 });
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
});

describe('note-plan', () => {
  const SUBJECTS = ['accounts', 'tickets', 'tickets catch-up'];

  beforeEach(async () => {
    for (const subject of SUBJECTS) {
      const alert = { channel: 'acme', class: 'unavailable', subject, message: 'answered 503' } as const;
      await raiseAlert(store, alert, new Date());
    }
  });

  /** Which subjects are alerted to still, after a plan of these types that has found nothing to send. */
  async function leftBy(planned: EntityType[]): Promise<(string | undefined)[]> {
    await notePlan(store, (await findChannel(store, 'acme'))!, { planned, windows: [] });
    const open = await listAlerts(store);
    return open.flatMap(({ subjects }) => subjects).sort();
  }

  test('a type that was not planned, as it is being delivered or held back, may still fail: its alert stays', async () => {
    expect(await leftBy(['accounts', 'contracts', 'settlements'])).toEqual(['tickets', 'tickets catch-up']);
  });

  test('a plan of all types that finds nothing to send resolves what failed', async () => {
    expect(await leftBy(['accounts', 'contracts', 'tickets', 'settlements'])).toEqual([]);
  });
});
