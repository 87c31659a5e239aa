import { channelCondition, staleAfter } from '../../domain/deliveries/condition';

const FRESH = new Date('2026-11-21T08:00:30Z');
const later = (ms: number) => new Date(FRESH.getTime() + ms);
const CHANNEL = {
  _id: 'acme',
  name: 'Acme',
  state: 'active',
  cadence_ms: 900_000,
  created_at: FRESH,
} as const;
const QUIET = { alerts: [], deliveredAt: null };
const LATE = later(1_800_001);

test('a channel is stale after two cadences, and never within a minute', () => {
  expect([1_000, 30_000, 900_000].map(staleAfter)).toEqual([60_000, 60_000, 1_800_000]);
  const at = (ms: number) => channelCondition(CHANNEL, QUIET, later(ms));
  expect([1_800_000, 1_800_001].map((ms) => at(ms).health)).toEqual(['healthy', 'stale']);
  expect(at(1_800_001).since).toEqual(FRESH);
});

test('its last confirmed page or empty run, whichever came later, keeps it fresh', () => {
  const [first, last] = [later(1), later(1_000)];
  for (const [fresh_at, deliveredAt] of [
    [first, last],
    [last, first],
  ] as const)
    // prettier-ignore
    expect(channelCondition({ ...CHANNEL, fresh_at }, { alerts: [], deliveredAt }, later(1_801_001))).toMatchObject({
      health: 'stale',
      since: last,
    });
});

test('of a stale channel it says since when, how often a run is due, and where to look', () =>
  expect(channelCondition(CHANNEL, QUIET, LATE).message).toBe(
    'Acme has confirmed nothing, and no run was empty, since 2026-11-21 08:00 UTC, though a run is due every 15m: ' +
      'see gdx deliveries acme, and whether the worker runs',
  ));

test('of a channel whose customer collects, it says to ask the customer', () =>
  expect(channelCondition({ ...CHANNEL, delivery: 'pull' }, QUIET, LATE).message).toBe(
    'Acme has collected and confirmed nothing since 2026-11-21 08:00 UTC: ask whether its program runs, and see gdx deliveries acme',
  ));

test('a pause comes before failures, and these before a channel that is stale', () => {
  const failed = { class: 'refused', opened_at: later(5), message: 'Acme answered 422' } as const;
  const known = { alerts: [failed], deliveredAt: null };
  expect(channelCondition(CHANNEL, known, LATE)).toEqual({
    ...{ health: 'failing', since: later(5), message: failed.message },
  });
  const failing = { since: later(2), failure: 'refused' as const, failure_since: later(2) };
  expect(channelCondition({ ...CHANNEL, failing }, known, LATE)).toMatchObject({ since: later(2) });
  expect(channelCondition({ ...CHANNEL, failing }, QUIET, LATE)).toMatchObject({
    health: 'failing',
    message: null,
  });
  const paused = { reason: 'asked for', at: later(3) };
  expect(channelCondition({ ...CHANNEL, state: 'paused', paused, failing }, known, LATE)).toEqual({
    ...{ health: 'paused', since: later(3), message: 'asked for' },
  });
});

test('records that were refused one by one, and codes, are no failure of a channel', () => {
  const alerts = (['set_aside', 'codes'] as const).map((kind) => ({
    class: kind,
    opened_at: FRESH,
    message: '',
  }));
  expect(channelCondition(CHANNEL, { alerts, deliveredAt: null }, FRESH).health).toBe('healthy');
});
