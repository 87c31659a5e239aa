import { watchCodes } from '../../activities/watch-codes';
import { watchChannels } from '../../activities/watch-channels';
import { noteCodeActivity } from '../../store/access/code-activity';
import { listAlerts, raiseAlert } from '../../store/feed/alerts';
import type { Store } from '../../store/store';
import type { CodeStatus } from '../../domain/code-status';
import { healthOf } from '../../api/pages/channel/channel-health';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';

const HOUR_MS = 3_600_000;
// What is noted in the past MongoDB removes.
const NOW = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 60_000);

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);
/** As often in that hour: the first is noted as each is, the others are added to it. */
async function happen(times: number, status: CodeStatus, at: Date): Promise<void> {
  await noteCodeActivity(store, 'acme', status, at);
  await store.db
    .collection('code_activity')
    .updateOne({ channel: 'acme' }, { $inc: { [`counts.${status}`]: times - 1 } });
}

async function watched(at: Date) {
  const { channel } = await addOnce();
  await watchChannels(store, [channel], at);
  const open = await listAlerts(store, { channel: 'acme' });
  return open.filter(({ class: kind }) => kind === 'codes').map(({ message }) => message);
}

let added: ReturnType<typeof addTestChannel> | undefined;
const addOnce = () =>
  (added ??= addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' }));
afterEach(() => (added = undefined));

test.each<[CodeStatus, number, string]>([
  ['wrong', 100, 'wrong codes were entered'],
  ['barred', 100, 'wrong codes were entered'],
  ['limited', 200, 'codes were asked for and not sent'],
  ['withheld', 200, 'codes were asked for and not sent'],
  ['impossible', 200, 'codes were asked for and not sent'],
  ['sent', 2_000, 'codes were sent'],
])(
  '%s: %i an hour are usual, one more opens an alert, an hour without closes it',
  async (status, most, say) => {
    await happen(most, status, NOW);
    expect(await watched(NOW)).toEqual([]);
    await happen(1, status, NOW);
    const expected = [expect.stringMatching(`: ${most + 1} ${say} within an hour`)];
    expect(await watched(NOW)).toEqual(expected);
    expect(await watched(later(1))).toEqual(expected); // it may have ended just before the hour did
    expect(await watched(later(2))).toEqual([]);
  },
);

test('it is no delivery that fails: the channel is as healthy as before', async () => {
  await happen(101, 'wrong', NOW);
  expect(await watched(NOW)).toHaveLength(1);
  const { channel } = await addOnce();
  const alerts = (await listAlerts(store)).filter(({ class: kind }) => kind === 'codes');
  expect(healthOf(channel, alerts, channel.created_at, channel.created_at).health).toBe('healthy');
});

test('codes that are as usual close no alert of another kind', async () => {
  const { channel } = await addOnce();
  const stale = { channel: 'acme', class: 'stale', subject: undefined, message: 'nothing was sent' } as const;
  await raiseAlert(store, stale, NOW);
  await watchCodes(store, [channel], await listAlerts(store), NOW);
  expect((await listAlerts(store)).map(({ class: kind }) => kind)).toEqual(['stale']);
});

test('of two channels each has its own: the one whose codes are as usual closes no alert of the other', async () => {
  const { channel } = await addOnce();
  const { channel: bison } = await addTestChannel(store, 'bison', 'https://bison.example');
  await happen(101, 'wrong', NOW);
  for (const at of [NOW, later(0.5)]) {
    await watchChannels(store, [channel, bison], at);
    const codes = (await listAlerts(store)).filter(({ class: kind }) => kind === 'codes');
    expect(codes.map(({ channel: slug, number }) => [slug, number])).toEqual([['acme', 1]]);
  }
});
