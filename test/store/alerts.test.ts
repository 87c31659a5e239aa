import { claimUnsent, countUnsent, markSent, releaseClaim } from '../../store/feed/alert-outbox';
import { addNotice, resolveAlerts, listAlerts, raiseAlert, resolveAlert } from '../../store/feed/alerts';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const NOW = new Date('2026-11-21T08:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const raise = (subject = 'tickets', message = 'answered 401', now = NOW) =>
  raiseAlert(store, { channel: 'acme', class: 'unauthorized', subject, message }, now);

const resolve = (isResolved: (subject: string) => boolean) =>
  resolveAlerts(store, { channel: 'acme', message: 'confirms again', isResolved }, later(60));

test('one alert a channel and class is open, however many raise it at once', async () => {
  const raised = await Promise.all(
    ['accounts', 'tickets', 'contracts', 'tickets'].map((type) => raise(type)),
  );
  expect(raised.filter(({ opened }) => opened)).toHaveLength(1);
  expect(new Set(raised.map(({ id }) => id)).size).toBe(1);
  await raise('tickets', 'answered 403', later(5));
  const [alert, ...others] = await listAlerts(store);
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    message: 'answered 403',
    opened_at: NOW,
    last_failed_at: later(5),
    unsent: 1,
  });
  expect(new Set(alert!.subjects)).toEqual(new Set(['accounts', 'tickets', 'contracts']));
  expect(alert!.notices).toMatchObject([{ kind: 'opened', message: 'answered 401', at: NOW, sent_at: null }]);
  await raiseAlert(store, { channel: 'bison', class: 'unauthorized', subject: 'tickets', message: '' }, NOW);
  await raiseAlert(store, { channel: 'acme', class: 'stale', subject: undefined, message: '' }, NOW);
  expect(await listAlerts(store)).toHaveLength(3);
  expect(await listAlerts(store, { channel: 'acme' })).toHaveLength(2);
});

test('it is resolved when the last of what fails with it has succeeded, and not before', async () => {
  const { id } = await raise('tickets');
  await raise('accounts');
  expect(await resolve((subject) => subject === 'contracts')).toBe(0);
  expect(await resolve((subject) => subject === 'accounts')).toBe(0);
  expect(await listAlerts(store)).toMatchObject([{ state: 'open', subjects: ['tickets'] }]);
  expect(await resolve((subject) => subject === 'tickets')).toBe(1);
  expect(await listAlerts(store)).toEqual([]);
  const [closed] = await listAlerts(store, { all: true });
  expect(closed).toMatchObject({ _id: id, state: 'resolved', resolved_at: later(60), unsent: 2 });
  expect(closed!.notices.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
  expect(closed!.expires_at).toEqual(later(60 + 400 * 24 * 3_600));
  expect(await resolveAlert(store, id, 'again', NOW)).toBe(false);
  const day = { key: 'day', kind: 'day', message: 'For 24 hours', at: later(61) } as const;
  expect(await addNotice(store, id, day)).toBe(false);
  const again = await raise();
  expect(again).toMatchObject({ opened: true });
  expect(again.id).not.toBe(id);
});

test('one that is about nothing in particular is not resolved by what succeeds', async () => {
  await raiseAlert(store, { channel: 'acme', class: 'stale', subject: undefined, message: '' }, NOW);
  expect(await resolve(() => true)).toBe(0);
  expect(await listAlerts(store)).toMatchObject([{ class: 'stale', state: 'open' }]);
});

test('one event is told once', async () => {
  const { id } = await raise();
  const day = { key: 'day', kind: 'day', message: 'For 24 hours', at: later(1) } as const;
  expect([await addNotice(store, id, day), await addNotice(store, id, day)]).toEqual([true, false]);
  expect((await listAlerts(store))[0]).toMatchObject({ unsent: 2 });
});

test('who was taken for dead and is through after all does not give away what another sends by now', async () => {
  await raise();
  const late = (await claimUnsent(store, NOW))!;
  expect(await claimUnsent(store, later(60))).not.toBeNull();
  await releaseClaim(store, late);
  expect(await claimUnsent(store, later(61))).toBeNull();
});

test('of two senders one gets an alert; what was sent is not given again', async () => {
  const { id } = await raise();
  const claims = await Promise.all([1, 2, 3].map(() => claimUnsent(store, NOW)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await claimUnsent(store, later(59))).toBeNull();
  expect(await claimUnsent(store, later(60))).toMatchObject({ _id: id }); // the sender was killed
  await markSent(store, id, 'opened', later(61));
  await markSent(store, id, 'opened', later(62));
  expect(await countUnsent(store)).toBe(0);
  expect((await listAlerts(store))[0]).toMatchObject({ unsent: 0, notices: [{ sent_at: later(61) }] });
  await resolve(() => true);
  const claimed = await claimUnsent(store, later(130));
  expect(claimed?.notices.map(({ sent_at }) => sent_at)).toEqual([later(61), null]);
  await releaseClaim(store, claimed!);
  expect(await claimUnsent(store, later(131))).toMatchObject({ _id: id });
});
