import { createRounds, startRounds } from '../../api/farmer/rounds';
import { goBy } from '../../domain/time/elapsed';
import { farmerNotices } from '../../store/consent/farmer-notices';
import { farmerIdOf } from '../../store/consent/farmers';
import { subscriptions } from '../../store/consent/subscriptions';
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

const YEAR_MS = 365.25 * 24 * 3_600_000;

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

test('whoever has a recycled number is told nothing of whom its former owner shares with', async () => {
  await share(['42-1']);
  await pushAccounts(farmers, [{ id: '1', name: 'Former owner', phones: [{ phone: OTHER_PHONE }] }]);
  await share(['42-2'], { partner_slug: 'bank' });
  forget();
  await process().everyHour(inYears(1.1));
  expect(told()).toEqual([expect.stringMatching(/you share grain records with Prairie Bank\./)]);
});

test('whoever grants is texted who gets their data now, with the address; of nothing else', async () => {
  forget();
  const visitor = await share(['42-1', '42-2']);
  expect(farmers.sender.texts.at(-1)).toEqual({
    to: `+1${PHONE}`,
    body: 'Grain Data Exchange: you now share grain records with Acme Crop Insurance. Not you, or changed your mind? Stop it: http://farmers.example/sharing',
  });
  forget();
  await visitor.get('/subscriptions/accounts');
  await visitor.save({ ends_on: endDays(new Date(), []).last });
  await visitor.get('/subscriptions/accounts');
  await visitor.save({ account: ['42-1'] });
  await process().everyMinute();
  await process().everyHour(new Date());
  expect(told()).toEqual([]);
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
      { $set: { begun: ['acme'], taken: 'of the dead' } },
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
    if (collection === 'farmer_notices' && method === 'findOneAndUpdate') await halt.here();
    return run();
  });
  const late = createRounds({ ...parts(), store }).everyHour(new Date());
  await halt.reached;
  await process().everyHour(new Date());
  halt.goOn();
  await late;
  expect(told()).toHaveLength(1);
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
  expect(told()).toEqual([]);
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

const DAY_MS = 24 * 3_600_000;

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
