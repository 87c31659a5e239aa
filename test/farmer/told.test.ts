import { createRounds, startRounds } from '../../api/farmer/rounds';
import { close } from '../../control/close';
import { endGrants } from '../../control/end-grants';
import { eraseEnded } from '../../control/erase-ended';
import { eraseFarmer } from '../../control/erase-farmer';
import { addIntegration } from '../../store/callers/integrations';
import { closeIntegration } from '../../store/sharing/close-integration';
import { eraseRecord } from '../../store/sharing/erase-record';
import { revokesOf, shareAccounts } from '../../control/share-accounts';
import { findChannel } from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import { noteEndings } from '../../store/sharing/note-consents';
import { goBy } from '../../domain/time/elapsed';
import { farmerNotices, newsOf } from '../../store/consent/farmer-notices';
import { farmerIdOf } from '../setup/farmer-id-of';
import { listGranted, subscriptionKey, subscriptions } from '../../store/consent/subscriptions';
import { readConfig } from '../../config';
import pino from 'pino';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { databaseUriOf, openStore } from '../setup/open-store';
import type { Store } from '../../store/store';
import type { Serving } from '../../api/http/route';
import { addHashKey } from '../../store/secrets/hash-key';
import { hearingSignals } from '../api/start-api';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { endDays } from '../../domain/consent/grant-end';
import {
  accountsOf,
  addFarmersChannel,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
  fails,
  sent,
} from './start-farmers';
import { slowTest, nightlyTest } from '../setup/cases';

const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365.25 * DAY_MS;

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await addFarmersChannel(farmers, 'bank', { name: 'Prairie Bank' });
});
beforeEach(async () => {
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  for (const name of ['subscriptions', 'consents', 'farmer_notices'])
    await farmers.store.db.collection(name).deleteMany({});
  farmers.sender.outcome = sent;
});

/** What one process of the API makes its rounds with. */
function parts() {
  const { store, sender } = farmers;
  const farmer = { ...readConfig({}), publicUrl: 'https://farmers.example' };
  const { temporal } = hearingSignals();
  const log = pino({ level: 'silent' });
  return { store, sender, farmer, temporal, log };
}

const process = () => createRounds(parts());

/** A process begins its rounds. @returns makes them again, as its timers do, and says how many they are */
function begin(changes: { store?: Store; serving?: Serving } = {}): () => number {
  const rounds: (() => void)[] = [];
  const timers = jest.spyOn(globalThis, 'setInterval').mockImplementation(((round: () => void) => {
    rounds.push(round);
    return { unref: () => undefined };
  }) as unknown as typeof setInterval);
  startRounds({ ...parts(), serving: { phase: 'serving' }, ...changes });
  timers.mockRestore();
  return () => {
    for (const round of rounds) round();
    return rounds.length;
  };
}

async function share(...how: Parameters<Farmers['share']>) {
  const visitor = await farmers.share(...how);
  await whenAllIsDone();
  return visitor;
}

const channelOf = async (slug: string) => (await findChannel(farmers.store, slug))!;
const told = () => farmers.sender.texts.filter(({ body }) => !/^\d{6} /.test(body)).map(({ body }) => body);
const forget = () => (farmers.sender.texts.length = 0);
const ago = (years: number) => new Date(Date.now() - years * YEAR_MS);
const inYears = (years: number) => new Date(Date.now() + years * YEAR_MS);

async function sharedFor(years: number): Promise<void> {
  await share(['42-1']);
  await farmerNotices(farmers.store).updateMany({}, { $set: { from: ago(years) } });
  forget();
}

test('the check page says that a text comes where one does', async () => {
  const visitor = await farmers.verified();
  await visitor.submit({ account: ['42-1'] });
  expect(visitor.text).toContain('We text this phone now');
  await visitor.submit({ do: 'save' });
  await visitor.get('/subscriptions/accounts');
  await visitor.submit({ ends_on: endDays(new Date(), []).last });
  expect([visitor.page.path, visitor.text]).toEqual([
    '/subscriptions/check',
    expect.not.stringContaining('We text this phone now'),
  ]);
});

test.each(['company', 'account'])(
  'whoever shares an account is told that this was stopped before it is erased (its %s ends)',
  async (what) => {
    const { store } = farmers;
    await store.db.collection('endings').deleteMany({});
    await share(['42-1']);
    forget();
    if (what === 'account') await eraseRecord(store, 'accounts', '42-1', 'a mistake');
    else {
      const company = { id: '42', name: 'Prairie Co-op' };
      const { integration } = await addIntegration(store, { name: 'agris', company });
      await closeIntegration(store, integration._id, { reason: 'over', erase_at: new Date(Date.now() - 1) });
    }
    const account = () => store.db.collection('accounts').countDocuments({ _id: '42-1' as never });
    await eraseEnded(parts(), new Date());
    await eraseEnded(parts(), new Date());
    expect([told(), await account()]).toEqual([[], 1]);
    await process().everyMinute();
    await eraseEnded(parts(), new Date());
    expect([told(), await account()]).toEqual([
      [expect.stringContaining('with Acme Crop Insurance was stopped')],
      0,
    ]);
    await store.db.collection('integrations').deleteMany({});
  },
);

test('whoever has a recycled number is told nothing of whom its former owner shares with', async () => {
  await share(['42-1']);
  await pushAccounts(farmers, [{ id: '1', name: 'Former owner', phones: [{ phone: OTHER_PHONE }] }]);
  await share(['42-2'], { partner_slug: 'bank' });
  forget();
  await process().everyHour(inYears(1.1));
  expect(told()).toEqual([expect.stringMatching(/you share grain records with Prairie Bank\./)]);
});

test('whoever grants is texted who gets their data now, with the address, and of each change and stop of theirs', async () => {
  forget();
  const visitor = await share(['42-1', '42-2']);
  expect(farmers.sender.texts.at(-1)).toEqual({
    to: `+1${PHONE}`,
    body: 'Grain Data Exchange: you now share grain records with Acme Crop Insurance. Not you, or changed your mind? Stop it: http://farmers.example/sharing',
    key: expect.any(String),
  });
  forget();
  await visitor.get('/subscriptions/accounts');
  await visitor.save({ ends_on: endDays(new Date(), []).last });
  await process().everyMinute();
  await visitor.get('/subscriptions/accounts');
  await visitor.save({ account: ['42-1'] });
  await process().everyMinute();
  await process().everyHour(new Date());
  expect(told()).toEqual([
    'Grain Data Exchange: what you share with Acme Crop Insurance was changed. Not you? See it, or stop it: farmers.example/sharing',
    'Grain Data Exchange: sharing grain records with Acme Crop Insurance was stopped. What is still shared: farmers.example/sharing',
  ]);
});

test('whoever is stopped by an operator, or by the end of a channel, is told; whoever was erased, and at an end of their own, is not', async () => {
  await addFarmersChannel(farmers, 'coop', { name: 'Coop Lender' });
  await share(['42-1', '42-2'], { partner_slug: 'coop' });
  await share(['42-1']);
  forget();
  const [acme, coop] = [await channelOf('acme'), await channelOf('coop')];
  const asker = { by: 'Maria', via: 'gdx', reason: 'over', request_id: 'r', action_id: 'a' } as const;
  await close.run(parts(), coop, {}, asker);
  const revokes = revokesOf(acme, await listGranted(farmers.store, 'acme'), {
    reason: 'asked',
    request_id: 'r',
  });
  await shareAccounts(parts(), acme, { revokes }, { requestId: 'r' });
  await process().everyMinute();
  expect(told()).toEqual([expect.stringContaining('with Acme Crop Insurance and Coop Lender was stopped')]);
  forget();
  await share(['42-1'], { partner_slug: 'bank' });
  await share(['42-1']);
  forget();
  await subscriptions(farmers.store).updateMany({ channel: 'acme' }, { $set: { ends_at: ago(0.001) } });
  await endGrants(parts(), new Date());
  await eraseFarmer(parts(), PHONE, { reason: 'asked', request_id: 'r' });
  await process().everyMinute();
  expect([told(), await listGranted(farmers.store, 'acme')]).toEqual([[], []]);
});

describe('an end that is near', () => {
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
  const notices = () => farmers.store.db.collection('customer_notices').find({ type: 'accounts.ending' });
  const endAt = (ends_at: Date) =>
    subscriptions(farmers.store).updateMany({}, { $set: { ends_at, since: ago(1), ending: false } });
  const hour = async (now = new Date()) => {
    await Promise.all([noteEndings(farmers.store, now), noteEndings(farmers.store, now)]);
    await process().everyMinute();
  };
  const move = async (ends_at: Date) => {
    const acme = await channelOf('acme');
    const [one] = await listGranted(farmers.store, 'acme');
    const act = { act: 'grant', ...subscriptionKey(one!), text_version: '1', language: 'en' } as const;
    const moves = ['42-1', '42-2'].map((account) => ({
      ...{ ...act, account, channel_name: 'Acme', entity_types: acme.entity_types, request_id: 'r' },
      ends_at,
    }));
    await shareAccounts(parts(), acme, { revokes: [], moves }, { requestId: 'r' });
  };
  beforeEach(async () => {
    await setChannel(farmers.store, 'acme', { notify_url: 'https://acme.example/notices' });
    await farmers.store.db.collection('customer_notices').deleteMany({});
    await share(['42-1', '42-2']);
    forget();
  });

  test('is told once to the farmer and to the customer, and again once it was moved', async () => {
    await endAt(inDays(15));
    await hour();
    expect([told(), await notices().toArray()]).toEqual([[], []]);
    await hour(inDays(1.5));
    await hour(inDays(2));
    const ends_at = (await subscriptions(farmers.store).findOne({}))!.ends_at!;
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
    const last = day.format(new Date(ends_at.getTime() - DAY_MS));
    expect(told()).toEqual([
      `Grain Data Exchange: the last day that you share grain records with Acme Crop Insurance is ${last}. See it: farmers.example/sharing`,
    ]);
    const data = { partner_id: 'policy-1', accounts: ['42-1', '42-2'], ends_at: ends_at.toISOString() };
    expect(await notices().toArray()).toMatchObject([{ channel: 'acme', data }]);
    await move(inDays(30));
    await process().everyMinute();
    forget();
    await hour(inDays(2));
    await hour(inDays(20));
    expect([told().length, (await notices().toArray()).length]).toEqual([1, 2]);
  });

  test('of two ends each has its text', async () => {
    await endAt(inDays(15));
    await subscriptions(farmers.store).updateOne({ account: '42-1' }, { $set: { ends_at: inDays(17) } });
    await hour(inDays(4));
    const days = told().map((body) => /is (\w+ \d+, \d{4})\./.exec(body)?.[1]);
    expect([days.length, new Set(days).size, (await notices().toArray()).length]).toEqual([2, 2, 2]);
  });

  test('that was chosen within these days is told to the customer alone', async () => {
    const moved_at = ago(1); // of a grant before
    await subscriptions(farmers.store).updateMany({}, { $set: { ends_at: inDays(3), moved_at } });
    await hour();
    expect([told(), (await notices().toArray()).length]).toEqual([[], 1]);
  });

  test('that was moved within these days is told to the customer alone', async () => {
    await endAt(inDays(300));
    await move(inDays(5));
    await process().everyMinute();
    forget();
    await hour();
    expect([told(), (await notices().toArray()).length]).toEqual([[], 1]);
  });
});

describe('every other phone of an account', () => {
  const both = [{ phone: PHONE }, { phone: OTHER_PHONE }];
  const toOther = () => farmers.sender.texts.filter(({ to }) => to === `+1${OTHER_PHONE}`);

  test('is told of a grant at once, and can stop it; the receipt says so', async () => {
    await pushAccounts(farmers, [{ id: '1', name: 'Both', phones: both }]);
    forget();
    const visitor = await share(['42-1', '42-2']);
    expect(farmers.sender.texts).toHaveLength(2);
    expect(toOther().map(({ body }) => body)).toEqual([
      'Grain Data Exchange: the phone ending in 42 now shares records of an account of yours with Acme Crop Insurance. Not right? Stop it: http://farmers.example/sharing',
    ]);
    forget();
    const other = await farmers.verified({ phone: OTHER_PHONE, partner_id: 'other' });
    await other.get('/sharing/customers');
    expect(other.text).toMatch(/Both .* Shared from the number ending in 42\. You can stop it too\./);
    expect(other.text).not.toContain('Get my copy');
    await other.submit({ stop: 'acme' });
    expect((await listGranted(farmers.store, 'acme')).map(({ account }) => account)).toEqual(['42-2']);
    await process().everyMinute();
    expect(farmers.sender.texts).toMatchObject([
      { to: `+1${PHONE}`, body: expect.stringContaining('was stopped') },
    ]);
    await visitor.get('/subscriptions/receipt');
    expect(visitor.text).toMatch(/Stopped: Both.* Phone number ending in 99/);
  });

  test('is told in the language in which it has stopped one before', async () => {
    await pushAccounts(farmers, [{ id: '1', name: 'Both', phones: both }]);
    await share(['42-1']);
    const other = await farmers.verified({ phone: OTHER_PHONE, partner_id: 'other' });
    await other.get('/sharing/customers');
    await other.submit({ language: 'es' });
    await other.submit({ stop: 'acme' });
    forget();
    await share(['42-1']);
    expect(toOther()).toMatchObject([
      { body: expect.stringContaining('ya comparte registros de una cuenta suya') },
    ]);
  });

  test('is told of two customers’ grants, whatever numbers these have', async () => {
    await pushAccounts(farmers, [{ id: '1', name: 'Both', phones: both }]);
    await share(['42-1']);
    await share(['42-1'], { partner_slug: 'bank' });
    forget();
    const farmer = await farmerIdOf(farmers.store, PHONE);
    await subscriptions(farmers.store).updateMany({}, { $set: { granted_in: 7 } });
    const begun = ['acme', 'bank'].map((slug) => newsOf('others', slug, 7, farmer));
    await farmerNotices(farmers.store).updateOne({ _id: farmer }, { $set: { begun } });
    await process().everyMinute();
    expect(toOther()).toMatchObject([
      { body: expect.stringMatching(/with Acme Crop Insurance and Prairie Bank\./) },
    ]);
  });

  test('is told of each grant once, though the one before was not told yet', async () => {
    const rows = ['1', '2'].map((id) => ({
      id,
      name: 'Both',
      phones: id === '2' ? both : [{ phone: PHONE }],
    }));
    await pushAccounts(farmers, rows);
    await share(['42-1']);
    const farmer = await farmerIdOf(farmers.store, PHONE);
    const granted_in = (await listGranted(farmers.store, 'acme'))[0]!.granted_in!;
    await share(['42-1', '42-2']);
    forget();
    await farmerNotices(farmers.store).updateOne(
      { _id: farmer },
      { $set: { begun: [newsOf('others', 'acme', granted_in, farmer)] } },
    );
    await process().everyMinute();
    expect(toOther()).toEqual([]);
  });

  test('is told nothing where the account has lost it, where it is everybody’s, and of a grant that is over', async () => {
    await pushAccounts(
      farmers,
      [1, 2].map((id) => ({ id: `${id}`, name: 'Both', phones: both })),
    );
    forget();
    farmers.sender.outcome = async () => {
      farmers.sender.outcome = sent; // while the granter is texted
      await pushAccounts(farmers, accountsOf(PHONE, 1));
      const [acme, granted] = [await channelOf('acme'), await listGranted(farmers.store, 'acme')];
      const stopped = granted.filter(({ account }) => account === '42-2');
      const revokes = revokesOf(acme, stopped, { reason: 'asked', request_id: 'r' });
      await shareAccounts(parts(), acme, { revokes }, { requestId: 'r' });
    };
    await share(['42-1', '42-2']);
    const crowd = Array.from({ length: 26 }, (_, index) => ({ id: `E${index}`, name: `Customer ${index}` }));
    const phonesOf = (index: number) => (index === 0 ? both : [{ phone: OTHER_PHONE }]);
    await pushAccounts(
      farmers,
      crowd.map((one, index) => ({ ...one, phones: phonesOf(index) })),
    );
    await share(['42-E0'], { partner_id: 'crowd' });
    expect(toOther()).toEqual([]);
    await pushAccounts(
      farmers,
      crowd.map((one) => ({ ...one, phones: [] })),
    );
  });
});

slowTest(
  'a text that failed is tried again, by any process and once; in the language of the page',
  async () => {
    forget();
    const chosen = await farmers.verified({ partner_slug: 'bank' });
    await chosen.submit({ language: 'es' });
    await chosen.submit({ account: ['42-1'] });
    farmers.sender.outcome = fails;
    await chosen.submit({ do: 'save' });
    await whenAllIsDone();
    farmers.sender.outcome = sent;
    await process().everyMinute();
    expect(told()).toEqual([]);
    await Promise.all([process().everyHour(new Date()), process().everyHour(new Date())]);
    expect(told()).toEqual([
      'Grain Data Exchange: usted ya comparte registros de granos con Prairie Bank. ¿No fue usted, o ya no quiere? Entre a farmers.example/sharing',
    ]);
  },
);

slowTest(
  'the text of a second customer names that one, and nobody who was told of or gets all anyway',
  async () => {
    await share(['42-1'], { partner_slug: 'bank' });
    await addTestChannel(farmers.store, 'analyst', 'https://a.example', { name: 'Co-op Analytics' });
    forget();
    await share(['42-2']);
    await farmers.store.db.collection('channels').deleteOne({ _id: 'analyst' as never });
    expect(told()).toEqual([
      expect.stringContaining('you now share grain records with Acme Crop Insurance. Not'),
    ]);
  },
);

slowTest('a grant that comes while the farmer is texted of another has a text of its own', async () => {
  forget();
  const [one, other] = [await farmers.verified(), await farmers.verified({ partner_slug: 'bank' })];
  const halt = stopHere();
  farmers.sender.outcome = halt.here;
  for (const visitor of [one, other]) {
    visitor.waits = false;
    await visitor.save({ account: ['42-1'] });
    await halt.reached; // the first text is on its way
  }
  farmers.sender.outcome = sent;
  halt.goOn();
  await whenAllIsDone();
  await process().everyMinute();
  expect(told()).toEqual([
    expect.stringContaining('you now share grain records with Acme Crop Insurance. Not'),
    expect.stringContaining('you now share grain records with Prairie Bank. Not'),
  ]);
});

slowTest(
  'what a process left when it died is told by another, after an hour without a sign of it',
  async () => {
    await share(['42-1']);
    forget();
    const farmer = await farmerIdOf(farmers.store, PHONE);
    await farmerNotices(farmers.store).updateOne(
      { _id: farmer },
      { $set: { begun: ['acme'], taken: 'of the dead', sending: { key: 'theirs', news: ['acme'] } } },
    );
    const other = process();
    await other.everyMinute();
    await other.everyHour(new Date());
    const ofTheLiving = { $set: { taken: 'of another, which has only begun' } };
    await farmerNotices(farmers.store).updateOne({ _id: farmer, taken: 'of the dead' }, ofTheLiving);
    await other.everyHour(new Date());
    expect(told()).toEqual([]);
    await other.everyHour(new Date());
    expect(told()).toHaveLength(1);
    expect(farmers.sender.texts.at(-1)?.key).toBe('theirs');
  },
);

slowTest(
  'one reminder a year for all of a phone’s grants, whatever the clocks of two processes say',
  async () => {
    await share(['42-2'], { partner_slug: 'bank' });
    await sharedFor(0.9);
    const [one, other] = [process(), process()];
    const before = await subscriptions(farmers.store).find().toArray();
    await Promise.all([one.everyHour(new Date()), other.everyHour(ago(3))]);
    expect(told()).toEqual([]);
    // A clock a year and more ahead, then right again, then behind; two at a time.
    for (const clock of [inYears(0.2), new Date(), inYears(0.3), ago(2), inYears(0.9)])
      await Promise.all([one.everyHour(clock), other.everyHour(clock)]);
    expect(told()).toEqual([
      'Grain Data Exchange yearly note: you share grain records with Acme Crop Insurance and Prairie Bank. A reply does not stop it. See or stop sharing: farmers.example/sharing',
    ]);
    for (let day = 0; day < 5; day++)
      await Promise.all([one.everyHour(inYears(1.2)), other.everyHour(inYears(1.3))]);
    expect(told()).toHaveLength(2);
    expect(await subscriptions(farmers.store).find().toArray()).toEqual(before);
  },
);

slowTest('a text names three customers, and says how many others there are', async () => {
  for (const [slug, name] of [
    ['coop', 'Coop Lender'],
    ['dairy', 'Dairy Lender'],
  ] as const) {
    await addFarmersChannel(farmers, slug, { name });
    await share(['42-1'], { partner_slug: slug });
  }
  await share(['42-1'], { partner_slug: 'bank' });
  await sharedFor(1.5);
  await process().everyHour(new Date());
  expect(told()).toEqual([
    expect.stringContaining('with Acme Crop Insurance, Coop Lender, Dairy Lender, and 1 other. A reply'),
  ]);
});

slowTest('a process that takes up a reminder when another has just sent it sends none', async () => {
  await sharedFor(1.1);
  const halt = stopHere();
  const store = rewire(farmers.store, async ({ collection, method, run }) => {
    if (collection === 'farmer_notices' && method === 'updateOne') await halt.here();
    return run();
  });
  const late = createRounds({ ...parts(), store }).everyHour(new Date());
  await halt.reached;
  await process().everyHour(new Date());
  halt.goOn();
  await late;
  expect(told()).toHaveLength(1);
});

test('a reminder that is sent again has the same key', async () => {
  await sharedFor(1.1);
  const send = jest.spyOn(farmers.sender, 'send');
  farmers.sender.outcome = fails; // as where the answer is lost
  const hours = process();
  await hours.everyHour(new Date());
  farmers.sender.outcome = sent;
  await hours.everyHour(new Date());
  const keys = send.mock.calls.map(([{ key }]) => key);
  send.mockRestore();
  expect(told()).toEqual([expect.stringContaining('yearly note')]);
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

slowTest('a number that the accounts no longer carry, and one that shares nothing, get none', async () => {
  await sharedFor(1.5);
  await pushAccounts(farmers, accountsOf(OTHER_PHONE, 2));
  await process().everyHour(new Date());
  expect(farmers.sender.texts).toEqual([]);
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  await sharedFor(1.5);
  await farmers.share([]);
  await process().everyHour(new Date());
  expect(told()).toEqual([expect.stringContaining('was stopped')]);
});

slowTest('a text that has failed 24 times is not tried again, that of the year neither', async () => {
  await share(['42-1']);
  farmers.sender.outcome = fails;
  const nearlyGivenUp = (more: object) =>
    farmerNotices(farmers.store).updateMany({}, { $set: { tries: 23, ...more } });
  const alone = process();
  for (const more of [{ begun: ['acme'] }, { from: ago(1.5) }]) {
    await nearlyGivenUp(more);
    farmers.sender.tried = 0;
    for (let hour = 0; hour < 3; hour++) await alone.everyHour(new Date());
    expect(farmers.sender.tried).toBe(1);
  }
});

nightlyTest('a text that never arrives is given up after a day, that of the year too', async () => {
  await sharedFor(1.5);
  farmers.sender.tried = 0;
  farmers.sender.outcome = fails;
  const alone = process();
  for (let hour = 0; hour < 30; hour++) await alone.everyHour(new Date());
  expect(farmers.sender.tried).toBe(24);
  await farmerNotices(farmers.store).updateMany({}, { $set: { begun: ['acme'], tries: 0 } });
  for (let hour = 0; hour < 30; hour++) await alone.everyHour(new Date());
  expect(farmers.sender.tried).toBe(48);
});

slowTest.each([
  ['the process', -DAY_MS],
  ['the database', DAY_MS],
])('the clock of %s a day ahead of the other ends no grant early', async (_, ahead) => {
  await share(['42-1', '42-2']);
  const granted = farmers.store.db.collection('subscriptions');
  const earlier = Date.now() + Math.min(0, ahead);
  const end = (account: string, hours: number) =>
    granted.updateOne({ account }, { $set: { ends_at: new Date(earlier + (hours * DAY_MS) / 24) } });
  await end('42-1', -1);
  await end('42-2', 2);
  const timers = jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref: () => undefined } as never);
  goBy(() => Date.now() + ahead);
  startRounds({ ...parts(), serving: { phase: 'serving' } });
  timers.mockRestore();
  const stateOf = async (account: string) => (await granted.findOne({ account }))?.['state'] as string;
  await eventually(async () => expect(await stateOf('42-1')).toBe('revoked'));
  expect(await stateOf('42-2')).toBe('granted');
  goBy(() => NaN);
});

slowTest('a provider of texts that hangs keeps no grant from its end', async () => {
  await share(['42-1']);
  const farmer = await farmerIdOf(farmers.store, PHONE);
  await farmerNotices(farmers.store).updateOne({ _id: farmer }, { $set: { begun: ['acme'] } });
  const halt = stopHere();
  farmers.sender.outcome = halt.here;
  const makeRounds = begin();
  await halt.reached; // the text is on its way, and stays so
  const subscriptions = farmers.store.db.collection('subscriptions');
  await subscriptions.updateMany({}, { $set: { ends_at: ago(0.001) } });
  await eventually(async () => {
    makeRounds(); // the first of each may be under way still
    expect(await subscriptions.countDocuments({ state: 'granted' })).toBe(0);
  }, 20_000);
  halt.goOn();
});

slowTest('rounds begin once the process serves, and one that fails is made again', async () => {
  await share(['42-1']);
  let calls = 0;
  let isAway = true;
  const store = rewire(farmers.store, async ({ run }) => {
    calls += 1;
    if (isAway) throw new Error('away');
    return run();
  });
  const serving: Serving = { phase: 'starting' };
  const makeRounds = begin({ store, serving });
  await new Promise(setImmediate);
  expect(calls).toBe(0);
  serving.phase = 'serving';
  const rounds = makeRounds();
  await eventually(() => expect(calls).toBeGreaterThanOrEqual(rounds));
  isAway = false;
  const granted = farmers.store.db.collection('subscriptions');
  await granted.updateMany({}, { $set: { ends_at: ago(0.001) } });
  await eventually(async () => {
    makeRounds();
    expect(await granted.countDocuments({ state: 'granted' })).toBe(0);
  }, 20_000);
});

slowTest('a process that knows only the hash key of before tells all the same', async () => {
  await sharedFor(1.1);
  const store = await openStore(databaseUriOf(farmers.store));
  await addHashKey(farmers.store);
  await farmers.verified(); // is hashed anew
  forget();
  begin({ store });
  await eventually(() => expect(told()).toHaveLength(1), 20_000);
});
