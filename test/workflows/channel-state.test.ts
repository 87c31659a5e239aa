import { ENTITY_TYPES } from '../../domain/entity-types';
import {
  type ChannelState,
  isAnyReady,
  carryChannel,
  nextDueTime,
  openChannel,
  requestDueRuns,
} from '../../workflows/channel-state';

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

test('a channel whose history ends plans nothing any more', () => {
  const channel = open();
  requestDueRuns(channel, NOON);
  expect(isAnyReady(channel)).toBe(true);
  expect(isAnyReady({ ...channel, ending: true })).toBe(false);
});

test('everything that a channel knows goes along into a fresh history', () => {
  const channel = open({ health: 'failing' });
  requestDueRuns(channel, NOON);
  expect(openChannel(carryChannel(channel))).toEqual(channel);
});
