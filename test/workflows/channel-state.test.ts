import {
  type DeliveryEnd,
  type PlannedWindow,
  type Trigger,
  TRIGGERS,
} from '../../domain/deliveries/delivery';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import {
  carryChannel,
  type ChannelState,
  nextDueTime,
  openChannel,
  requestDueRuns,
} from '../../workflows/channel-state';
import {
  afterDelivery,
  carryLane,
  isReady,
  type Lane,
  leftOf,
  openLane,
  requestAgain,
  requestRun,
} from '../../workflows/lane';

describe('channel-state', () => {
  const HOUR = 3_600_000;
  const NOON = Date.UTC(2026, 0, 1, 12);
  const plan = { state: 'active', name: 'Acme', cadence_ms: HOUR, markers: [] } as const;

  const open = (some: Partial<ChannelState> = {}): ChannelState => ({
    ...openChannel({ slug: 'acme', due: new Date(NOON).toISOString() }),
    plan: { ...plan, markers: [] },
    ...some,
  });

  const woken = ({ lanes }: ChannelState) =>
    lanes.filter(({ pending }) => pending).map(({ entity_type }) => entity_type);

  test('at its hour every lane is woken, and the next hour is at most a cadence away', () => {
    const channel = open();
    requestDueRuns(channel, NOON - 1);
    expect(woken(channel)).toEqual([]);
    requestDueRuns(channel, NOON);
    expect(woken(channel)).toEqual(ENTITY_TYPES);
    expect(channel.due).toBeGreaterThan(NOON);
    expect(channel.due).toBeLessThanOrEqual(NOON + HOUR);
  });

  test('of runs that were missed one is made up for, and the next one is of the grid', () => {
    const channel = open();
    requestDueRuns(channel, NOON);
    const onTime = channel.due;
    channel.due = NOON;
    const late = NOON + 6 * HOUR + 1;
    requestDueRuns(channel, late);
    expect(channel.due).toBeGreaterThan(late);
    expect(channel.due).toBeLessThanOrEqual(late + HOUR);
    expect((channel.due - onTime) % HOUR).toBe(0);
    for (const lane of channel.lanes) lane.pending = undefined;
    requestDueRuns(channel, late);
    expect(woken(channel)).toEqual([]);
  });

  test('a busy lane is woken too: what it is due for is planned when it is done', () => {
    const channel = open();
    channel.lanes[2]!.busy = true;
    requestDueRuns(channel, NOON);
    expect(channel.lanes[2]!.pending).toEqual({ trigger: 'schedule' });
  });

  test('a lane that is held back wakes when the time that was asked for is over, not before, and once', () => {
    const channel = open({ due: Infinity });
    const [lane] = channel.lanes;
    lane!.held_until = NOON;
    expect(nextDueTime(channel)).toBe(NOON);
    requestDueRuns(channel, NOON - 1);
    expect([lane!.pending, lane!.held_until]).toEqual([undefined, NOON]);
    requestDueRuns(channel, NOON);
    expect(woken(channel)).toEqual(['accounts']);
    expect([lane!.held_until, nextDueTime(channel)]).toEqual([undefined, Infinity]);
  });

  test('everything that a channel knows goes along into a fresh history', () => {
    const channel = open({ health: 'failing' });
    requestDueRuns(channel, NOON);
    expect(openChannel(carryChannel(channel))).toEqual(channel);
  });
});

describe('lane', () => {
  const laneOf = (some: Partial<Lane> = {}): Lane => ({ ...openLane('tickets', undefined), ...some });

  /** The trigger that is pending after these requests. */
  function pendingAfter(...triggers: Trigger[]): Trigger | undefined {
    const lane = laneOf();
    for (const trigger of triggers) requestRun(lane, { trigger });
    return lane.pending?.trigger;
  }

  test('of two requests the stronger one stays, whichever came first', () => {
    for (const [at, weaker] of TRIGGERS.entries())
      for (const stronger of TRIGGERS.slice(at))
        expect([pendingAfter(weaker, stronger), pendingAfter(stronger, weaker)]).toEqual([
          stronger,
          stronger,
        ]);
  });

  test('settings do not take the place of deliver now, which alone cuts short what a customer asked for', () => {
    expect(pendingAfter('deliver-now', 'settings')).toBe('deliver-now');
    const held = (trigger: Trigger) => laneOf({ pending: { trigger }, held_until: 1 });
    expect(TRIGGERS.filter((trigger) => isReady(held(trigger)))).toEqual(['deliver-now']);
  });

  test('a lane is ready when it is asked for and idle', () => {
    const pending = { trigger: 'schedule' } as const;
    expect([laneOf(), laneOf({ pending }), laneOf({ pending, busy: true })].map(isReady)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('of two resets the later one is named on the pages', () => {
    const lane = laneOf();
    for (const request_id of ['first', 'second']) requestRun(lane, { trigger: 'reset', request_id });
    expect(lane.pending).toEqual({ trigger: 'reset', request_id: 'second' });
  });

  test('what is asked again does not take the place of an equal request that came since', () => {
    const lane = laneOf();
    requestRun(lane, { trigger: 'reset', request_id: 'second' });
    requestAgain(lane, { trigger: 'reset', request_id: 'first' });
    expect(lane.pending).toEqual({ trigger: 'reset', request_id: 'second' });
    requestAgain(lane, { trigger: 'deliver-now' });
    expect(lane.pending).toEqual({ trigger: 'deliver-now' });
  });

  test('deliver now is asked again where its customer has answered nothing, or has taken all of the window', () => {
    const NOW = { trigger: 'deliver-now', request_id: 'asked' } as const;
    const leftAfter = (end: DeliveryEnd, answered: boolean) => leftOf(NOW, { end, answered }).trigger;
    expect([leftAfter('superseded', true), leftAfter('handed_back', true)]).toEqual(['settings', 'settings']);
    expect([leftAfter('superseded', false), leftAfter('delivered', true)]).toEqual([
      'deliver-now',
      'deliver-now',
    ]);
    expect(leftOf(RESET, { end: 'superseded', answered: true })).toBe(RESET);
  });

  const WINDOW: PlannedWindow = {
    entity_type: 'tickets',
    ...{ catch_up: false, generation: 0, from: 0, to: 9, records: 9 },
    ...{ read: 'range', more: false, unanswered: false },
  };
  const RESET = { trigger: 'reset', request_id: 'asked' } as const;

  const after = (end: DeliveryEnd, window: Partial<PlannedWindow> = {}, more: object = {}) =>
    afterDelivery({ ...WINDOW, ...window }, RESET, { end, ...more });

  test('what comes after a delivery: the lane’s next window, and a plan where something is left', () => {
    expect(after('delivered')).toEqual({ go_on: true });
    expect(after('delivered', { more: true })).toEqual({ go_on: true, request: RESET });
    expect(after('delivered', {}, { more: true })).toEqual({ go_on: true, request: RESET }); // it found more than was planned
    expect(after('resized')).toEqual({ go_on: false, request: { ...RESET, trigger: 'settings' } });
    expect(after('superseded')).toEqual({ go_on: false, request: RESET });
    expect(after('handed_back')).toEqual({ go_on: false, request: RESET });
    expect(after('paused')).toEqual({ go_on: false });
  });

  test('after a failure the lane waits for the hour, except for refused records, which say nothing of others', () => {
    expect(after('failed', { more: true }, { failure: 'unavailable' })).toEqual({ go_on: false });
    expect(after('failed', {}, { failure: 'refused' })).toEqual({ go_on: true });
    expect(after('failed', {}, { failure: 'throttled', not_before: 7 })).toEqual({
      go_on: false,
      held_until: 7,
    });
  });

  test('a request, the time a customer asked for and the last outcomes go along into a fresh history', () => {
    const last = { failed: true, text: 'Acme answered 503' };
    const lane = laneOf({ pending: RESET, held_until: Date.UTC(2026, 0, 1), last, last_catch_up: last });
    expect(openLane('tickets', carryLane(lane))).toEqual(lane);
  });

  test('so does a request whose plan failed, and the stronger of two', () => {
    const carried = (pending: Lane['pending']) => carryLane(laneOf({ pending, failed: RESET })).wake;
    expect(carried(undefined)).toEqual(RESET);
    expect(carried({ trigger: 'schedule' })).toEqual(RESET);
    expect(carried({ trigger: 'deliver-now' })).toEqual({ trigger: 'deliver-now' });
  });
});
