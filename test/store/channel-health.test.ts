import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { pauseFailing } from '../../store/feed/channel-health';
import { type Channel, findChannel, pauseChannel, resumeChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';

const SINCE = new Date('2026-11-21T08:00:00Z');

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example');
  const failing = { since: SINCE, failure: 'unauthorized', failure_since: SINCE } as const;
  await store.db.collection<Channel>('channels').updateOne({ _id: 'acme' }, { $set: { failing } });
});

const pause = () => pauseFailing(store, 'acme', SINCE, { reason: 'Acme answered 401', at: new Date() });
const acme = async () => (await findChannel(store, 'acme'))!;

test('a channel pauses for the trouble that it still has', async () => {
  await pause();
  expect(await acme()).toMatchObject({ state: 'paused', paused: { reason: 'Acme answered 401' } });
});

test('an operator who was faster keeps the reason', async () => {
  await pauseChannel(store, 'acme', 'audit');
  await pause();
  expect((await acme()).paused).toMatchObject({ reason: 'audit' });
});

test('one that was resumed meanwhile stays active', async () => {
  await resumeChannel(store, 'acme');
  await pause();
  expect((await acme()).state).toBe('active');
});
