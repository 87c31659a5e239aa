import { goBy } from '../../domain/time/elapsed';
import { endGrants } from '../../control/end-grants';
import { shareAccounts } from '../../control/share-accounts';
import { findChannel } from '../../store/channels/channels';
import { consents } from '../../store/consent/consents';
import { revoke } from '../../store/sharing/grant-and-revoke';
import { listGranted, readSharedAccounts, subscriptions } from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import type { ChannelClient } from '../../temporal/channel-client';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { slowTest } from '../setup/cases';
import { addTestChannel } from '../setup/add-test-channel';
import { actsOf } from '../setup/share-accounts';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';

const LATER_MS = 5_000;
const MINUTE_MS = 60_000;

let scene: SharedScene;
let begin: number;
let clock: jest.SpyInstance<number, []>;
beforeEach(async () => {
  scene = await openSharedScene(1);
  goBy(() => Date.now()); // so that it passes as told
  begin = Date.now();
  clock = jest.spyOn(Date, 'now').mockReturnValue(begin);
});
afterEach(() => clock.mockRestore());

const passTheEnd = () => clock.mockReturnValue(begin + LATER_MS + 1_000);
const theEnd = () => new Date(begin + LATER_MS);
const inMinutes = (minutes: number) => new Date(begin + minutes * MINUTE_MS);
const now = () => new Date(Date.now());

function parts() {
  const { temporal, signals } = hearingSignals();
  return { store: scene.store, temporal: temporal as ChannelClient, signals };
}

/** As the farmer's page does. */
async function grantUntil(
  account: string,
  ends_at: Date | undefined,
  partner_id = 'policy-1',
  slug = 'acme',
  as: 'grants' | 'moves' = 'grants',
) {
  const channel = (await findChannel(scene.store, slug))!;
  const key = { channel: slug, partner_id, farmer: 'meyer', account: accountId(account) };
  const grants = actsOf('grant', [key], channel.entity_types).map((act) => ({
    ...act,
    ...(ends_at && { ends_at }),
  }));
  const acts = { revokes: [], [as]: grants };
  return shareAccounts(parts(), channel, acts, { requestId: 'test', phoneEnding: '42' });
}
const moveUntil = (account: string, ends_at: Date | undefined) =>
  grantUntil(account, ends_at, 'policy-1', 'acme', 'moves');

const ledger = async (channel = 'acme') =>
  (await consents(scene.store).find({ channel }).sort({ number: 1 }).toArray()).map(
    (entry) => `${entry.act}${'by' in entry ? ` by ${entry.by}` : ''}`,
  );
const shared = async () => (await listGranted(scene.store, 'acme')).map(({ account }) => account);

slowTest(
  'a grant that ends in the middle of a window is left out of the next page, and of every run',
  async () => {
    await grantUntil('1001', theEnd());
    await grantUntil('1002', undefined);
    await scene.run();
    await scene.pushTickets({ T1: ['1001'], T2: ['1001'], T3: ['1002'], T4: ['1001', '1002'] });
    scene.customer.script = () => {
      passTheEnd();
      return 200;
    };
    await scene.run();
    expect(scene.posted()).toEqual(['T1', 'T3', 'T4']);
    const split = scene.customer.pages.at(-1)!.body.toString();
    expect([split.includes(accountId('1001')), split.includes(accountId('1002'))]).toEqual([false, true]);
    await scene.pushTickets({ T5: ['1001'] });
    await scene.run();
    expect(scene.posted()).toHaveLength(3);
    expect(await shared()).toEqual([accountId('1002')]);
  },
);

test('of two ends in one window the first counts when it comes', async () => {
  await grantUntil('1001', theEnd());
  await grantUntil('1002', inMinutes(50));
  await scene.run();
  await scene.pushTickets({ T1: ['1001'], T2: ['1001'], T3: ['1002'] });
  scene.customer.script = () => {
    passTheEnd();
    return 200;
  };
  await scene.run();
  expect(scene.posted()).toEqual(['T1', 'T3']);
});

test('a page whose kept connection failed does not go out again after the end', async () => {
  await grantUntil('1001', theEnd());
  await scene.run();
  await scene.pushTickets({ T1: ['1001'], T2: ['1001'] });
  scene.customer.script = ({ records }) => {
    if (records[0]?.remote_id === 'T1') return 200;
    passTheEnd();
    return 'hang-up'; // as if the customer had closed the connection just when the page came
  };
  await scene.run();
  expect(scene.posted()).toEqual(['T1', 'T2']);
});

slowTest('a split that goes to others is not noted as sent for one whose grant has ended', async () => {
  await grantUntil('1001', theEnd());
  await grantUntil('1002', undefined);
  await scene.run();
  passTheEnd();
  await scene.pushTickets({ T1: ['1001', '1002'] });
  await scene.run();
  const sent = await subscriptions(scene.store)
    .find({ sent: { $ne: null } })
    .toArray();
  expect([scene.posted(), sent.map(({ account }) => account)]).toEqual([['T1'], [accountId('1002')]]);
});

slowTest('one that ends in the middle of its catch-up: nothing of it is sent any more', async () => {
  await scene.pushTickets({ T1: ['1001'], T2: ['1001'], T3: ['1001'] });
  await scene.run();
  await grantUntil('1001', theEnd());
  scene.customer.script = ({ entityType }) => {
    if (entityType === 'tickets') passTheEnd();
    return 200;
  };
  await scene.run();
  expect(scene.posted()).toEqual(['T1']);
  const { store } = scene;
  await endGrants(parts(), now());
  expect(await store.db.collection('markers').countDocuments({ account: { $exists: true } })).toBe(0);
  await scene.run();
  expect(scene.posted()).toEqual(['T1']);
});

test('the end goes to the ledger once, whoever writes it, and signals the channel', async () => {
  await grantUntil('1001', theEnd());
  expect(await endGrants(parts(), now())).toBe(0);
  passTheEnd();
  const [one, other] = [parts(), parts()];
  const ended = await Promise.all([endGrants(one, now()), endGrants(other, now())]);
  expect(ended.reduce((a, b) => a + b)).toBe(1);
  expect([...one.signals, ...other.signals].map(({ signal }) => signal)).toEqual(['subscriptionsChanged']);
  expect(await endGrants(parts(), now())).toBe(0);
  expect(await ledger()).toEqual(['grant', 'revoke by end']);
  expect(await verifyConsents(scene.store, 'acme')).toMatchObject({ ok: true, links: 2 });
  expect(await subscriptions(scene.store).findOne({})).toMatchObject({ state: 'revoked', ends_at: theEnd() });
});

test('ends of two customers that come at the same time are written to each one’s ledger', async () => {
  await grantUntil('1001', theEnd());
  await addTestChannel(scene.store, 'bank', scene.customer.baseUrl, { scope: 'subscribed' });
  await grantUntil('1002', theEnd(), 'loan-1', 'bank');
  passTheEnd();
  const { signals, ...to } = parts();
  expect(await endGrants(to, now())).toBe(2);
  expect(signals.map(({ slug }) => slug).sort()).toEqual(['acme', 'bank']);
  for (const slug of ['acme', 'bank']) {
    expect(await verifyConsents(scene.store, slug)).toMatchObject({ ok: true, links: 2 });
    expect(await ledger(slug)).toEqual(['grant', 'revoke by end']);
  }
});

test('ends of a channel that is no more keep those of no other waiting', async () => {
  await addTestChannel(scene.store, 'gone', scene.customer.baseUrl, { scope: 'subscribed' });
  await grantUntil('1002', theEnd(), 'loan-1', 'gone');
  await grantUntil('1001', theEnd());
  await scene.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: 'gone' });
  passTheEnd();
  expect(await endGrants(parts(), now())).toBe(1);
  expect(await ledger()).toEqual(['grant', 'revoke by end']);
});

test('of what is stopped and shared with one save the stop holds, also where the save is cut off', async () => {
  await grantUntil('1001', undefined);
  const channel = (await findChannel(scene.store, 'acme'))!;
  const acts = (act: 'grant' | 'revoke', account: string) => {
    const key = { channel: 'acme', partner_id: 'policy-1', farmer: 'meyer', account: accountId(account) };
    return actsOf(act, [key], channel.entity_types);
  };
  const saved = shareAccounts(
    parts(),
    channel,
    { grants: acts('grant', '1002'), revokes: acts('revoke', '1001') },
    { requestId: 'test', phoneEnding: '42', onBatch: () => Promise.reject(new Error('cut off')) },
  );
  await expect(saved).rejects.toThrow('cut off');
  expect([await shared(), await ledger()]).toEqual([[], ['grant', 'revoke']]);
});

slowTest(
  'granted again after its end, it begins anew: the end is written first, and the earlier records come',
  async () => {
    await grantUntil('1001', theEnd());
    await scene.run();
    passTheEnd();
    await scene.pushTickets({ T1: ['1001'] });
    await scene.run();
    expect(scene.posted()).toEqual([]);
    await grantUntil('1001', undefined);
    expect(await ledger()).toEqual(['grant', 'revoke by end', 'grant']);
    await scene.run();
    await scene.run();
    expect(scene.posted()).toEqual(['T1']);
  },
);

test('granted again when its end is written, the end is written no second time', async () => {
  await grantUntil('1001', theEnd());
  passTheEnd();
  await endGrants(parts(), now());
  await grantUntil('1001', undefined);
  expect(await ledger()).toEqual(['grant', 'revoke by end', 'grant']);
});

slowTest('an end can be moved before it comes; whoever saw the older one ends nothing', async () => {
  await grantUntil('1001', inMinutes(5));
  await scene.run();
  await scene.pushTickets({ T1: ['1001'] });
  const before = await subscriptions(scene.store).findOne({});
  const { changed } = await grantUntil('1001', inMinutes(50));
  expect(changed).toBe(1);
  expect((await grantUntil('1001', inMinutes(50))).changed).toBe(0);
  clock.mockReturnValue(begin + 5.1 * MINUTE_MS);
  expect(await ledger()).toEqual(['grant', 'grant', 'grant']);
  const { channel, partner_id, farmer, account } = before!;
  const key = { channel, partner_id, farmer, account, channel_name: 'Acme', entity_types: [] };
  const late = { act: 'revoke', ...key, by: 'end', ends_at: inMinutes(5), request_id: 'late' } as const;
  expect(await revoke(scene.store, [{ ...late, entity_types: [] }])).toEqual({ changed: 0, last: undefined });
  await scene.run();
  expect(scene.posted()).toEqual(['T1']);
});

slowTest(
  'of ends that are moved, what was revoked meanwhile stays revoked, and what has ended begins anew',
  async () => {
    clock.mockReturnValue(begin - 10 * MINUTE_MS);
    await grantUntil('1001', inMinutes(5));
    await grantUntil('1002', inMinutes(-5));
    await grantUntil('1003', inMinutes(30));
    clock.mockReturnValue(begin);
    const key = { channel: 'acme', partner_id: 'policy-1', farmer: 'meyer', account: accountId('1001') };
    await revoke(scene.store, actsOf('revoke', [key]));
    await endGrants(parts(), now());
    clock.mockReturnValue(begin + 6 * MINUTE_MS); // its end, too, has come by now
    const moved: number[] = [];
    for (const account of ['1001', '1002', '1003'])
      moved.push((await moveUntil(account, inMinutes(50))).changed);
    expect([moved, (await shared()).sort()]).toEqual([[0, 1, 1], ['1002', '1003'].map(accountId)]);
    expect((await ledger()).slice(3)).toEqual(['revoke', 'revoke by end', 'grant', 'grant']);
  },
);

test('an end that has come by any clock has come: moved after that, it begins a new grant with the earlier records', async () => {
  await grantUntil('1001', inMinutes(15));
  await scene.run();
  await scene.pushTickets({ T1: ['1001'] });
  clock.mockReturnValue(begin + 15.1 * MINUTE_MS);
  await scene.run(); // by the worker's clock it has come
  expect([scene.posted(), await shared()]).toEqual([[], []]);
  clock.mockReturnValue(begin);
  expect(await shared()).toEqual([]); // and so it has to everybody
  await grantUntil('1001', inMinutes(50));
  expect(await ledger()).toEqual(['grant', 'revoke by end', 'grant']);
  expect(await verifyConsents(scene.store, 'acme')).toMatchObject({ ok: true, links: 3 });
  await scene.run();
  await scene.run();
  expect(scene.posted()).toEqual(['T1']);
});

test('an end that is moved just before it is found to have come has not come', async () => {
  await grantUntil('1001', inMinutes(15));
  await scene.run();
  clock.mockReturnValue(begin + 15.1 * MINUTE_MS);
  const moving = rewire(scene.store, async (call) => {
    if (call.method !== 'bulkWrite') return call.run();
    clock.mockReturnValue(begin);
    await moveUntil('1001', inMinutes(50));
    return call.run();
  });
  expect([...(await readSharedAccounts(moving, 'acme', 'tickets')).accounts]).toEqual([accountId('1001')]);
  expect([await shared(), await ledger()]).toEqual([[accountId('1001')], ['grant', 'grant']]);
});

test('of several ends the first is the one until when what was read holds', async () => {
  await grantUntil('1001', inMinutes(50));
  await grantUntil('1002', theEnd());
  await grantUntil('1003', inMinutes(5));
  await scene.run();
  const read = () => readSharedAccounts(scene.store, 'acme', 'tickets');
  expect((await read()).until).toEqual(theEnd());
  passTheEnd();
  expect((await read()).until).toEqual(inMinutes(5));
});

test('one that is granted again as it is goes on', async () => {
  await grantUntil('1001', inMinutes(5));
  clock.mockReturnValue(begin + 4.5 * MINUTE_MS);
  expect((await grantUntil('1001', inMinutes(5))).changed).toBe(0);
});

test('under two references the account is sent until the later of the two ends', async () => {
  await grantUntil('1001', theEnd());
  await grantUntil('1001', undefined, 'policy-2');
  await scene.run();
  await scene.pushTickets({ T1: ['1001'], T2: ['1001'] });
  passTheEnd();
  await endGrants(parts(), now());
  await scene.run();
  expect([scene.posted(), await shared()]).toEqual([['T1', 'T2'], [accountId('1001')]]);
});
