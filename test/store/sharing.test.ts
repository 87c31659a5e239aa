import { MongoServerError } from 'mongodb';
import { findChannel } from '../../store/channels/channels';
import { closeStore } from '../../store/connect';
import { listConsents } from '../../store/consent/consents';
import {
  endBegun,
  eraseNotices,
  FarmerErased,
  farmerNotices,
  freeTaken,
  giveBack,
  listBegun,
  listTaken,
  noteGranted,
  noteStop,
  takeBegun,
} from '../../store/consent/farmer-notices';
import { countHashedBefore, findFarmerId, forgetHashedBefore } from '../../store/consent/farmers';
import { farmerIdOf } from '../setup/farmer-id-of';
import { forgetSubscriptions } from '../../store/consent/farmers-traces';
import { accountsById, crowdedCompanies, MOST_OF_A_COMPANY } from '../../store/consent/offered-accounts';
import { isListedPhone, phoneOfFarmer, sharedByOthers } from '../../store/consent/phone-of-farmer';
import {
  listGranted,
  listGrantedOf,
  listGrantedOfAccounts,
  listGrantedOfFarmer,
  listOfFarmer,
  newestGranted,
  noteSent,
  readAccountsToBegin,
  readSharedAccounts,
  subscriptions,
} from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import { beginCatchUps, listCatchUps } from '../../store/markers/catch-ups';
import { startMarker } from '../../store/markers/markers';
import { records } from '../../store/records/records';
import { addHashKey, dropPreviousHashKey } from '../../store/secrets/hash-key';
import type { Store } from '../../store/store';
import { DUPLICATE_KEY, isUnavailable } from '../../store/unavailable';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { databaseUriOf, emptyStore, openStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { nightlyTest, slowTest } from '../setup/cases';

const [PHONE, OTHER] = ['7015550142', '7015550199'];

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

describe('subscriptions', () => {
  beforeEach(async () => {
    for (const slug of ['acme', 'bank'])
      await addTestChannel(store, slug, `https://${slug}.example`, { scope: 'subscribed' });
  });

  const key = (channel: string, partner_id = 'p') => ({
    channel,
    partner_id,
    farmer: 'dale',
    account: '42-1',
  });
  const share = async (channel: string, partner_id?: string) =>
    grantAccounts(store, (await findChannel(store, channel))!, [key(channel, partner_id)]);
  const sentTo = async (channel: string, partner_id = 'p') =>
    (await subscriptions(store).findOne({ channel, partner_id }))!.sent?.delivery;

  test('what was sent to one customer is said of no other, nor of a grant that is over, nor of a new one', async () => {
    await share('acme');
    await share('acme', 'over');
    await share('bank');
    await revokeAccounts(store, [key('acme', 'over')]);
    await noteSent(store, 'acme', ['42-1'], { at: new Date(), delivery: 'delivery/acme/tickets/1' });
    expect([await sentTo('acme'), await sentTo('acme', 'over'), await sentTo('bank')]).toEqual([
      'delivery/acme/tickets/1',
      undefined,
      undefined,
    ]);
    await revokeAccounts(store, [key('acme')]);
    await share('acme');
    expect(await sentTo('acme')).toBeUndefined();
  });

  nightlyTest(
    'two processes that share, revoke and plan one channel at once: all is done, in one chain',
    async () => {
      const KEYS = [1, 2, 3, 4].map((number) => ({ ...key('acme'), account: `42-${number}` }));
      const tickets = KEYS.map(({ account }, index) => ({ id: `T${index}`, account_id: account.slice(3) }));
      await pushRecords(store, { tickets });
      await startMarker(store, 'acme', 'tickets', 4);
      const other = await openStore(databaseUriOf(store));
      const channel = (await findChannel(store, 'acme'))!;
      const farmer = async (process: Store, mine: typeof KEYS) => {
        for (let turn = 0; turn < 3; turn++) {
          await grantAccounts(process, channel, mine);
          await revokeAccounts(process, mine);
        }
        await grantAccounts(process, channel, mine);
      };
      const begin = (process: Store) =>
        process.client.withSession((session) => beginCatchUps(process, 'acme', 'tickets', session));
      const plans = async (process: Store) => {
        for (let turn = 0; turn < 6; turn++) await begin(process);
      };
      const [here, there] = [KEYS.slice(0, 2), KEYS.slice(2)];
      await Promise.all([farmer(store, here), farmer(other, there), plans(store), plans(other)]);
      await begin(other);
      await closeStore(other);
      expect(await verifyConsents(store, 'acme')).toMatchObject({ ok: true, links: 2 * 2 * 7 });
      const begun = await listCatchUps(store, 'acme', 'tickets');
      expect(begun.map(({ account }) => account).sort()).toEqual(KEYS.map(({ account }) => account));
    },
  );

  test('what has come to its end counts nowhere as shared, before that is written', async () => {
    await share('acme');
    const lists = async () =>
      Promise.all([
        listGranted(store, 'acme'),
        listGrantedOf(store, 'acme', '42-1'),
        listGrantedOfAccounts(store, ['42-1']),
        listGrantedOfFarmer(store, 'dale'),
        newestGranted(store, 'acme', 9),
      ]);
    const endAt = (ends_at: Date) => subscriptions(store).updateMany({}, { $set: { ends_at } });
    await endAt(new Date(Date.now() + 60_000));
    expect((await lists()).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
    await endAt(new Date(Date.now() - 1));
    expect((await lists()).map(({ length }) => length)).toEqual([0, 0, 0, 0, 0]);
  });

  test('what one customer gets is of no other, under the same number and of the same account', async () => {
    await share('acme');
    await share('bank');
    await share('acme', 'other');
    const ofAcme = { channel: 'acme', partner_id: 'p', farmer: 'dale' };
    const [expected, all] = [[expect.objectContaining(key('acme'))], ['acme', 'acme']];
    expect(await listOfFarmer(store, ofAcme)).toEqual(expected);
    expect(await listConsents(store, ofAcme)).toEqual(expected);
    expect((await listGrantedOf(store, 'acme', '42-1')).map(({ channel }) => channel)).toEqual(all);
  });

  test('what is shared with one customer is neither selected nor begun for another', async () => {
    const read = async () =>
      store.client.withSession(async (session) => [
        [...(await readAccountsToBegin(store, 'acme', 'tickets', session)).accounts],
        [...(await readSharedAccounts(store, 'acme', 'tickets', session)).accounts],
      ]);
    const begin = () => subscriptions(store).updateMany({}, { $set: { to_begin: [] } });
    await share('bank');
    expect(await read()).toEqual([[], []]);
    await begin();
    expect(await read()).toEqual([[], []]);
    await share('acme');
    expect(await read()).toEqual([['42-1'], []]);
    await begin();
    expect(await read()).toEqual([[], ['42-1']]);
  });

  test('an account is taken by whoever shares it now with this customer under this number', async () => {
    const others = { channel: 'acme', partner_id: 'p', farmer: 'ruth' };
    const taken = () => sharedByOthers(store, others, ['42-1']);
    await share('bank');
    await share('acme', 'other');
    expect(await taken()).toEqual(new Map());
    await share('acme');
    expect(await taken()).toEqual(new Map([['42-1', '42']]));
    expect(await sharedByOthers(store, { ...others, farmer: 'dale' }, ['42-1'])).toEqual(new Map());
    await revokeAccounts(store, [key('acme')]);
    expect(await taken()).toEqual(new Map());
  });
});

describe('farmers', () => {
  beforeEach(async () => {
    await dropPreviousHashKey(store); // the tests share their keys
  });

  test('a farmer keeps the id over two exchanges of the key, as they come once after each', async () => {
    const id = await farmerIdOf(store, PHONE);
    const absent = await farmerIdOf(store, OTHER);
    for (let exchange = 1; exchange <= 2; exchange++) {
      expect(await addHashKey(store)).toBe(true);
      expect(await addHashKey(store)).toBe(false); // two are in use
      expect([await findFarmerId(store, PHONE), await farmerIdOf(store, PHONE)]).toEqual([id, id]);
      expect(await countHashedBefore(store)).toMatchObject({ before: 1, farmers: 2 });
      await dropPreviousHashKey(store);
      expect(await findFarmerId(store, OTHER)).toBeUndefined(); // did not come
    }
    expect(await farmerIdOf(store, OTHER)).not.toBe(absent);
  });

  const keyOf = (farmer: string) => ({ channel: 'acme', partner_id: 'p', farmer, account: '42-1' });
  async function share(farmer: string): Promise<void> {
    const known = await findChannel(store, 'acme');
    if (!known) await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
    await grantAccounts(store, (await findChannel(store, 'acme'))!, [keyOf(farmer)]);
  }

  slowTest('however many were hashed before an exchange, no query names more than a thousand', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => ({
      _id: `h${index}`,
      farmer: `f${index}`,
      hashed_by: 'x',
    }));
    await store.db.collection<{ _id: string }>('farmers').insertMany(many);
    await share('f7');
    await share('f2400');
    const sizes: number[] = [];
    const seen = rewire(store, ({ collection, args, run }) => {
      if (collection === 'subscriptions') sizes.push(JSON.stringify(args).match(/"f\d+"/g)?.length ?? 0);
      return run();
    });
    expect(await countHashedBefore(seen)).toMatchObject({ before: 2_500, sharing: 2 });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  });

  slowTest(
    'of those hashed before an exchange only who shares counts as such, and they alone are forgotten',
    async () => {
      const [id, other] = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
      for (const farmer of [id, other]) await share(farmer);
      await addHashKey(store);
      expect(await countHashedBefore(store)).toEqual({ farmers: 2, before: 2, sharing: 2 });
      await revokeAccounts(store, [keyOf(id)]);
      expect(await countHashedBefore(store)).toEqual({ farmers: 2, before: 2, sharing: 1 });
      await farmerIdOf(store, OTHER);
      await forgetHashedBefore(store);
      expect([await findFarmerId(store, PHONE), await findFarmerId(store, OTHER)]).toEqual([
        undefined,
        other,
      ]);
    },
  );

  test('of the phones of an account the farmer’s own is found, not that of another farmer', async () => {
    const [id] = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
    const phones = [OTHER, PHONE].map((phone) => ({ phone }));
    await pushRecords(store, { accounts: [{ id: '1', name: 'Both', phones }] });
    expect(await phoneOfFarmer(store, id, ['42-1'])).toEqual({ phone: PHONE, carriers: ['42-1'] });
    expect(await phoneOfFarmer(store, 'somebody else', ['42-1'])).toBeUndefined();
  });

  test('what is granted again while its farmer is erased is not taken out unrevoked', async () => {
    const id = await farmerIdOf(store, PHONE);
    await share(id);
    await revokeAccounts(store, [keyOf(id)]);
    const read = await subscriptions(store).find().toArray();
    await share(id);
    expect(await forgetSubscriptions(store, read)).toBe(0);
    await revokeAccounts(store, [keyOf(id)]);
    expect(await forgetSubscriptions(store, read)).toBe(1);
  });
});

describe('offered-accounts', () => {
  let pushed = 0;
  const push = (names: string[], rest: object = {}, company?: { id: string; name: string }) => {
    const accounts = names.map((name) => {
      return { id: `${++pushed}`, name, phones: [{ phone: PHONE }], ...rest };
    });
    return pushRecords(store, { accounts }, company);
  };
  /** Each writes the name in a way of its own. */
  const WAYS = [
    'Meyer Farms',
    'MEYER FARMS',
    'Meyer  Farms',
    ' meyer farms ',
    'Ｍｅｙｅｒ Farms',
    'Mey\u00ader\u00a0Farms\u200e',
  ];
  const farms = (count: number, of = 'Farm') => Array.from({ length: count }, (_, index) => `${of} ${index}`);

  test('of 25 names, one of them written in several ways, the phone is still somebody’s; a 26th makes it everybody’s', async () => {
    await push([...WAYS, ...farms(24)]);
    expect(await crowdedCompanies(store, PHONE)).toEqual([]);
    await push(['Olson']);
    expect(await crowdedCompanies(store, PHONE)).toEqual(['42']);
  });

  test('a company that puts the phone on more accounts than anybody has, or larger ones, makes it everybody’s', async () => {
    await push(['Meyer Farms', 'Meyer Farms', 'Meyer Farms']);
    const bytes = (await records(store, 'accounts').find().toArray()).reduce(
      (sum, { wire }) => sum + wire.length,
      0,
    );
    const crowded = (most: object) =>
      crowdedCompanies(store, PHONE, { names: 25, accounts: 3, bytes, ...most });
    expect(await crowded({})).toEqual([]);
    expect([await crowded({ accounts: 2 }), await crowded({ bytes: bytes - 1 })]).toEqual([['42'], ['42']]);
    await push(['Closed'], { deleted_at: '2026-11-01T00:00:00Z' });
    expect(await crowded({ bytes: Infinity })).toEqual(['42']);
    // docs/contract.md F19
    expect(MOST_OF_A_COMPANY).toEqual({ names: 25, accounts: 10_000, bytes: 64 * 1024 * 1024 });
  });

  test('of accounts that are shared, what is too much to read is shown by its id', async () => {
    await push(['Meyer', 'Olson', 'Svoboda']);
    const found = await records(store, 'accounts').find().toArray();
    const ids = found.map(({ _id }) => _id);
    expect((await accountsById(store, ids, { mostBytes: 0 })).map(({ name }) => name).sort()).toEqual(
      [ids[1]!, ids[2]!, 'Meyer'].sort(),
    );
  });

  const ODD = ['a "company":{"id":"x"}, \\', '}\u2028"}', '\\', '\ud83c\udf3e'];
  test.each(ODD)('of a large account named %j its name is read, and little else', async (name) => {
    await push([name], { notes: 'x'.repeat(100_000) });
    const [found] = await records(store, 'accounts').find().toArray();
    const parse = jest.spyOn(JSON, 'parse');
    const [account] = await accountsById(store, [found!._id]);
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    parse.mockRestore();
    expect([account!.name, account!.company.id, longest < 1_000]).toEqual([name, '42', true]);
  });

  test('the names at another company do not count, whichever comes first', async () => {
    for (const id of ['11', '66'])
      await push(farms(25, `Stranger of ${id}`), {}, { id, name: 'Hostile Elevator' });
    await push(['Meyer Farms']);
    expect(await crowdedCompanies(store, PHONE)).toEqual([]);
  });

  test('the names of deleted accounts do not count', async () => {
    await push(farms(25));
    await push(farms(5, 'Closed'), { deleted_at: '2026-11-01T00:00:00Z' });
    expect(await crowdedCompanies(store, PHONE)).toEqual([]);
  });

  slowTest('accounts of more ids than one query takes are all found, in alphabetical order', async () => {
    const names = farms(501).sort((a, b) => a.localeCompare(b));
    await push(names);
    const ids = (await records(store, 'accounts').find().toArray()).map(({ _id }) => _id);
    expect((await accountsById(store, ids)).map(({ name }) => name)).toEqual(names);
  });
});

describe('is-listed-phone', () => {
  beforeEach(async () => {
    await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
  });

  const push = (phones: string[], rest: object = {}) =>
    pushRecords(store, {
      accounts: [{ id: '1', name: 'Meyer Farms', phones: phones.map((phone) => ({ phone })), ...rest }],
    });
  const isListed = () => isListedPhone(store, PHONE);
  const endAt = (ends_at: Date) => subscriptions(store).updateMany({}, { $set: { ends_at } });

  test('a phone is listed while an account carries it, and not by one that is deleted', async () => {
    expect(await isListed()).toBe(false);
    await push([PHONE]);
    expect([await isListed(), await isListedPhone(store, OTHER)]).toEqual([true, false]);
    await push([PHONE], { deleted_at: '2026-11-01T00:00:00Z' });
    expect(await isListed()).toBe(false);
  });

  test('a farmer whose account has lost the phone still gets the code to stop what is shared, and nobody else', async () => {
    await push([PHONE]);
    const key = { channel: 'acme', partner_id: 'p', farmer: await farmerIdOf(store, PHONE), account: '42-1' };
    await farmerIdOf(store, OTHER); // a visitor who shares nothing
    await grantAccounts(store, (await findChannel(store, 'acme'))!, [key]);
    await push([]);
    expect([await isListed(), await isListedPhone(store, OTHER)]).toEqual([true, false]);
    await endAt(new Date(Date.now() + 60_000));
    expect(await isListed()).toBe(true);
    await endAt(new Date(Date.now() - 1)); // not written yet
    expect(await isListed()).toBe(false);
    await endAt(new Date(Date.now() + 60_000));
    await revokeAccounts(store, [key]);
    expect(await isListed()).toBe(false);
  });
});

describe('farmer-notices', () => {
  const granted = (channel: string, through = store) =>
    store.client.withSession((session) =>
      noteGranted(through, 'dale', { told: { news: [channel], language: 'en' } }, session),
    );
  const kept = () => farmerNotices(store).findOne({ _id: 'dale' });

  test('what is granted while a text is on its way is told by the next one', async () => {
    await granted('acme');
    const taken = (await takeBegun(store, 'dale', 'one'))!;
    await granted('bank');
    expect(await takeBegun(store, 'dale', 'other')).toBe(null);
    await endBegun(store, taken);
    expect(await listBegun(store, false)).toEqual(['dale']);
    expect((await takeBegun(store, 'dale', 'other'))?.begun).toEqual(['bank']);
  });

  test('what died with its process is repeated as it was, and what came since has a text of its own', async () => {
    await granted('acme');
    const first = (await takeBegun(store, 'dale', 'dies'))!;
    await granted('bank');
    await freeTaken(store, 'dale', 'dies');
    const again = (await takeBegun(store, 'dale', 'lives'))!;
    expect(again.sending).toEqual({ key: 'dies', news: ['acme'] });
    expect(again.sending).toEqual(first.sending);
    await endBegun(store, again);
    expect((await takeBegun(store, 'dale', 'next'))!.sending).toEqual({ key: 'next', news: ['bank'] });
  });

  test('only who was erased is taken for erased, and not whoever is first told of by two at once', async () => {
    const taken = new MongoServerError({ message: 'duplicate key', code: DUPLICATE_KEY });
    const first = rewire(store, ({ method, run }) =>
      method === 'updateOne' ? Promise.reject(taken) : run(),
    );
    expect(isUnavailable(await granted('acme', first).catch((error: unknown) => error))).toBe(true);
    await eraseNotices(store, 'dale');
    const lagging = rewire(store, ({ collection, method, args, run }) => {
      const level = (args[1] as { readConcern?: { level: string } } | undefined)?.readConcern?.level;
      if (collection === 'farmer_notices' && method === 'findOne' && level !== 'linearizable')
        return Promise.resolve(null);
      return run();
    });
    await expect(granted('acme', lagging)).rejects.toThrow(FarmerErased);
    await expect(granted('acme')).rejects.toThrow(FarmerErased);
    expect(await kept()).toEqual({ _id: 'dale', erased: true });
  });

  test('a stop is in the way of a grant that was begun before it, even where the farmer is to be told of both', async () => {
    await granted('acme');
    await store.client.withSession(async (session) => {
      session.startTransaction();
      await farmerNotices(store).findOne({ _id: 'dale' }, { session });
      await noteStop(store, 'dale', 'en');
      const told = { news: ['acme'], language: 'en' as const };
      const late = await noteGranted(store, 'dale', { told }, session).catch((error: unknown) => error);
      expect([late, isUnavailable(late)]).toEqual([expect.any(MongoServerError), true]);
      await session.abortTransaction();
    });
  });

  test('who was taken for dead and comes back takes nothing from whoever sends now', async () => {
    await granted('acme');
    const late = (await takeBegun(store, 'dale', 'late'))!;
    await freeTaken(store, 'dale', 'late');
    await takeBegun(store, 'dale', 'now');
    await freeTaken(store, 'dale', 'late'); // by another process, which has seen it later
    await endBegun(store, late);
    await giveBack(store, late);
    expect(await listTaken(store)).toEqual(new Map([['dale', 'now']]));
    expect(await kept()).toMatchObject({ begun: ['acme'], years: [], tries: 0 });
  });

  test('the years are counted from what was shared first, however often more is', async () => {
    await granted('acme');
    const from = new Date('2024-11-01T00:00:00Z');
    await farmerNotices(store).updateOne({ _id: 'dale' }, { $set: { from, years: [1] } });
    await granted('bank');
    expect(await kept()).toMatchObject({ from, years: [1], begun: ['acme', 'bank'] });
  });

  test('texts that have failed keep no later one from being sent', async () => {
    const fail = async () => giveBack(store, (await takeBegun(store, 'dale', 'one'))!);
    await granted('acme');
    await fail();
    expect(await listBegun(store, false)).toEqual([]);
    await granted('bank');
    expect(await listBegun(store, false)).toEqual(['dale']);
    await fail();
    await endBegun(store, (await takeBegun(store, 'dale', 'one'))!);
    expect(await kept()).toMatchObject({ tries: 0 });
  });
});
