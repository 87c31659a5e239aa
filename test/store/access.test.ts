import { MongoClient } from 'mongodb';
import { countAttempt, msUntilAttempt, uncountAttempt } from '../../store/codes/attempt-counts';
import {
  changePhone,
  changeSession,
  endSave,
  type FarmerSession,
  farmerSessions,
  findFarmerSession,
  goOnSaving,
  openFarmerSession,
  phoneOf,
  type SavedChoices,
  SessionMoved,
} from '../../store/sessions/farmer-sessions';
import { findSignIns, forgetSignIns } from '../../store/codes/forget-sign-ins';
import { addHashKey, dropPreviousHashKey } from '../../store/secrets/hash-key';
import { pageSessions } from '../../store/sessions/page-sessions';
import { endSession, tokenOfSecondTap, verifySession, wayOutOf } from '../../store/sessions/session-ends';
import {
  findSignInCode,
  isReplaced,
  newSignInCode,
  noteSending,
  RESEND_AFTER_MS,
  shownCode,
  takeTry,
  useTry,
} from '../../store/codes/sign-in-codes';
import { countHashedBefore, findFarmerId, forgetFarmer, phoneHashes } from '../../store/consent/farmers';
import { farmerIdOf } from '../setup/farmer-id-of';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { otherThan } from '../farmer/guess';
import { emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';
import { ALL_BUT_DATE } from '../setup/all-but-date';

const [PHONE, OTHER] = ['7015550142', '7015550199'];
const LINK = {
  channel: 'acme',
  partner_id: 'p',
  display_name: 'A',
  callback_url: 'https://a.example',
  signed: false,
};

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

async function openVisit(phone = PHONE) {
  const cookie = await openFarmerSession(store, { link: LINK, language: 'en', phone });
  return { cookie, session: (await findFarmerSession(store, cookie, 'link'))! };
}

describe('attempt-counts', () => {
  const count = (what = 'phone') => countAttempt(store, what, { limit: 2, windowMs: 60_000 });

  test('so many in a window, and then none until it ends; another is counted apart', async () => {
    expect([await count(), await count()]).toEqual([0, 0]);
    const waitMs = await count();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    expect(await count('other')).toBe(0);
  });

  describe('a process whose clock is two hours ahead', () => {
    const ahead = async <T>(act: () => Promise<T>): Promise<T> => {
      jest.useFakeTimers({ now: Date.now() + 2 * 3_600_000, doNotFake: ALL_BUT_DATE });
      return act().finally(() => jest.useRealTimers());
    };

    test('begins no window that lasts longer', async () => {
      const waitMs = await ahead(async () => [await count(), await count(), await count()][2]!);
      const { expire } = (await store.db.collection<{ expire: Date }>('attempt_counts').findOne())!;
      expect(expire.getTime() - Date.now()).toBeLessThanOrEqual(62_000);
      expect(waitMs).toBeGreaterThan(50_000);
      expect(waitMs).toBeLessThanOrEqual(60_000);
    });

    test('ends no window that others have begun, and reads that it is used up', async () => {
      expect([await count(), await count()]).toEqual([0, 0]);
      expect(await ahead(() => msUntilAttempt(store, 'phone', 2))).toBeGreaterThan(0);
      expect(await ahead(count)).toBeGreaterThan(0);
    });
  });

  test('what was taken back does not count', async () => {
    await count();
    await count();
    await uncountAttempt(store, 'phone');
    expect(await count()).toBe(0);
  });

  test('a window that is over begins anew at once, also where the server has not removed it yet', async () => {
    for (let attempt = 0; attempt < 3; attempt++) await count();
    const over = { $set: { expire: new Date(Date.now() - 1) } };
    await store.db.collection('attempt_counts').updateMany({}, over);
    expect(await count()).toBe(0);
  });

  async function letThroughAtOnce(): Promise<number> {
    const waits = await Promise.all(Array.from({ length: 20 }, () => count()));
    return waits.filter((waitMs) => waitMs === 0).length;
  }

  test('twenty at once in a window that has begun are all counted', async () => {
    await count();
    expect(await letThroughAtOnce()).toBe(1);
  });

  test('of twenty that begin a window at once no more than the limit go through', async () => {
    const letThrough = await letThroughAtOnce();
    // Fewer only where the stand-in of MongoDB answers a raced upsert by nothing, and the attempt is counted again.
    expect([1, 2]).toContain(letThrough);
  });

  test('many at once count as so many', async () => {
    const limit = { limit: 100, windowMs: 60_000 };
    expect(await countAttempt(store, 'portion', limit, 60)).toBe(0);
    expect(await countAttempt(store, 'portion', limit, 60)).toBeGreaterThan(0);
  });

  test('what is taken back twice gives nobody another attempt, nor what is taken back when its window is gone', async () => {
    await count();
    await uncountAttempt(store, 'phone');
    await uncountAttempt(store, 'phone');
    await uncountAttempt(store, 'never counted');
    expect([await count(), await count()]).toEqual([0, 0]);
    expect(await count()).toBeGreaterThan(0);
    expect(await store.db.collection('attempt_counts').countDocuments()).toBe(1);
  });

  test('a database that is away lets nothing through', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
    const away = { ...store, db: client.db('gdx') };
    await expect(countAttempt(away, 'phone', { limit: 2, windowMs: 60_000 })).rejects.toThrow(
      /ECONNREFUSED|timed out/,
    );
    await client.close();
  });

  test('what is counted cannot be read', async () => {
    await count('7015550142');
    expect(JSON.stringify(await store.db.collection('attempt_counts').find().toArray())).not.toContain(
      '0142',
    );
  });
});

describe('farmer-sessions', () => {
  const HOUR = 3_600_000;
  const SAVED: Omit<SavedChoices, 'form'> = {
    status: 'saved',
    reference: 'acme-1',
    begun: false,
    stopped: [],
    stopped_others: 0,
  };

  let cookie: string;
  let session: FarmerSession;
  beforeEach(async () => {
    ({ cookie, session } = await openVisit());
  });

  const kept = async ({ _id } = session) => (await farmerSessions(store).findOne({ _id }))!;
  const set = async (changes: Partial<FarmerSession>) => {
    await farmerSessions(store).updateOne({ _id: session._id }, { $set: changes });
    session = await kept();
  };

  test('a visit ends 8 hours after it began, whatever phones are typed and proven meanwhile', async () => {
    const opened_at = new Date(Date.now() - 7.5 * HOUR);
    await set({ opened_at });
    const theEnd = new Date(opened_at.getTime() + 8 * HOUR);
    await changePhone(store, session, OTHER);
    expect((await kept()).ends_at).toEqual(theEnd);
    const proven = await verifySession(store, await kept(), '123456');
    expect((await findFarmerSession(store, proven, 'link'))!.ends_at).toEqual(theEnd);
  });

  test('what was chosen with one phone is written to no other', async () => {
    await changePhone(store, session, OTHER);
    await expect(changeSession(store, session, { seen: ['42-1'], ticked: ['42-1'] })).rejects.toThrow(
      SessionMoved,
    );
    expect(await kept()).toMatchObject({ seen: [], ticked: null });
  });

  test('the phone of a form that was slower than another one is not set', async () => {
    await changePhone(store, session, OTHER);
    await expect(changePhone(store, session, '7015550188')).rejects.toThrow(SessionMoved);
    expect(phoneOf(store, await kept())).toBe(OTHER);
  });

  test('a second tap on the form of the phone goes on with the phone that the first one has set', async () => {
    const first = await changePhone(store, session, OTHER);
    expect(await changePhone(store, session, OTHER)).toEqual(first);
  });

  test('a save ends what was ticked; the next page shows what is shared by then', async () => {
    const saving = { form: 'one', at: new Date() };
    await set({ verified: true, saving, ticked: ['42-1'], ends_on: '2027-10-31' });
    await endSave(store, session, { form: 'one', ...SAVED });
    const nothing = { saving: null, ticked: null, ends_on: null };
    expect(await kept()).toMatchObject({ ...nothing, saved: { form: 'one' } });
  });

  test('a save goes on where another phone was typed meanwhile: its sign of life changes nothing', async () => {
    await set({ verified: true, saving: { form: 'one', at: new Date() } });
    await changePhone(store, session, OTHER);
    await goOnSaving(store, session, 0);
    expect((await kept()).saving).toBeNull();
  });

  test('a code that is entered while one for another phone is written beside it comes after that, and ends its visit', async () => {
    const other = await openVisit(OTHER);
    const halt = stopHere();
    const first = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'sessions' && method === 'insertOne') await halt.here();
      return run();
    });
    let tries = 0;
    const second = rewire(store, async ({ method, run }) => {
      if (method === 'replaceOne' && (tries += 1) === 2) halt.goOn();
      return run();
    });
    const earlier = verifySession(first, session, '123456', other.cookie);
    await halt.reached;
    const later = await verifySession(second, other.session, '654321', cookie).finally(halt.goOn);
    const visits = [await earlier, later].map((token) => findFarmerSession(store, token, 'link'));
    expect(await Promise.all(visits)).toEqual([null, expect.objectContaining({ verified: true })]);
  });

  test('a second tap leads on for a minute, at the code and on the way out', async () => {
    const over = () =>
      farmerSessions(store).updateOne(
        { _id: session._id },
        { $set: { expires_at: new Date(Date.now() - 1) } },
      );
    const proven = await verifySession(store, session, '123456');
    expect(await tokenOfSecondTap(store, cookie, 'link', '123456')).toBe(proven);
    await over();
    expect(await tokenOfSecondTap(store, cookie, 'link', '123456')).toBeUndefined();

    session = (await findFarmerSession(store, proven, 'link'))!;
    await endSession(store, session, 'https://a.example/?status=saved');
    expect(await wayOutOf(store, proven)).toBe('https://a.example/?status=saved');
    await over();
    expect(await wayOutOf(store, proven)).toBeUndefined();
  });
});

describe('sign-in-codes', () => {
  let session: FarmerSession;
  beforeEach(async () => {
    ({ session } = await openVisit());
  });

  const newCode = async (shown = false) =>
    (await newSignInCode(store, session, PHONE, { via: 'text', shown, digits: 6 }))!;
  const waitIsOver = () =>
    store.db
      .collection('sign_in_codes')
      .updateMany({}, { $set: { sent_at: new Date(Date.now() - RESEND_AFTER_MS) } });

  test('a text that fails when a second one is on its way takes nothing from that one’s code', async () => {
    const first = await newCode();
    await waitIsOver();
    const second = await newCode();
    await noteSending(store, first.sent, 'failed');
    const tried = await takeTry(store, session, PHONE);
    expect(tried && (await useTry(store, tried, second.code))).toBe('right');
  });

  test('a code that was replaced is known as long as the new one can be tried, and no other code is', async () => {
    const codes = [];
    for (let time = 0; time < 3; time++) {
      codes.push((await newCode()).code);
      await waitIsOver();
    }
    const known = (code: string) => isReplaced(store, session, PHONE, code);
    expect(await Promise.all([...codes, otherThan(codes[2]!)].map(known))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (let tries = 0; tries < 5; tries++) await takeTry(store, session, PHONE);
    expect(await known(codes[0]!)).toBe(false);
  });

  test('the page shows no code but the last, and none once it is sent by text', async () => {
    await newCode(true);
    await waitIsOver();
    const { code } = await newCode(true);
    const shown = async () => shownCode(store, (await findSignInCode(store, session, PHONE))!);
    expect(await shown()).toBe(code);
    await waitIsOver();
    await newCode(false);
    expect(await shown()).toBeUndefined();
  });

  test('a code for “who sees my grain data” proves no phone for a customer’s link', async () => {
    await newSignInCode(store, { ...session, link: null }, PHONE, { via: 'text', shown: false, digits: 6 });
    expect(await takeTry(store, session, PHONE)).toBeNull();
  });

  test('a code for a copy proves no phone', async () => {
    const sharing = { ...session, link: null };
    await newSignInCode(store, { ...sharing, verified: true }, PHONE, {
      via: 'text',
      shown: false,
      digits: 6,
    });
    expect(await takeTry(store, sharing, PHONE)).toBeNull();
    expect(await takeTry(store, { ...sharing, verified: true }, PHONE)).not.toBeNull();
  });

  test('a code is good for ten minutes', async () => {
    await newCode();
    const { expires_at } = (await findSignInCode(store, session, PHONE))!;
    expect((expires_at.getTime() - Date.now()) / 60_000).toBeCloseTo(10, 0);
  });

  test('a new code has five tries, whatever became of those of the one before', async () => {
    await newCode();
    for (let tries = 0; tries < 5; tries++) await takeTry(store, session, PHONE);
    expect(await takeTry(store, session, PHONE)).toBeNull();
    await waitIsOver();
    const { code } = await newCode();
    const tried = await takeTry(store, session, PHONE);
    expect(tried && (await useTry(store, tried, code))).toBe('right');
  });

  test('a code that is replaced while it is compared opens nothing, and the new one still does', async () => {
    const first = await newCode();
    const tried = (await takeTry(store, session, PHONE))!;
    await waitIsOver();
    const second = await newCode();
    expect(await useTry(store, tried, first.code)).toBe('over');
    expect(await useTry(store, (await takeTry(store, session, PHONE))!, second.code)).toBe('right');
  });
});

describe('forget-sign-ins', () => {
  beforeEach(async () => {
    await dropPreviousHashKey(store); // the tests share their keys
  });

  async function askForCode(phone: string): Promise<void> {
    const { session } = await openVisit(phone);
    await newSignInCode(store, session, phone, { via: 'text', shown: false, digits: 6 });
  }

  test('a phone’s visits and codes are forgotten, also those of before an exchange of the key, and nobody else’s', async () => {
    for (const phone of [PHONE, OTHER]) await askForCode(phone);
    await addHashKey(store);
    expect(await forgetSignIns(store, phoneHashes(store, PHONE))).toEqual({ sessions: 1, codes: 1 });
    expect(await findSignIns(store, phoneHashes(store, PHONE))).toEqual({ sessions: [], codes: [] });
    const left = await findSignIns(store, phoneHashes(store, OTHER));
    expect([left.sessions.length, left.codes.length]).toEqual([1, 1]);
  });
});

describe('page-sessions', () => {
  const MINUTE = 60_000;
  const sessions = pageSessions<{ operator: string }>('operator_sessions');

  test('a session ends 30 minutes after its last page, not after its first', async () => {
    const left = (at: Date) => (at.getTime() - Date.now()) / MINUTE;
    const token = await sessions.open(store, { operator: 'maria' });
    const stored = store.db.collection('operator_sessions');
    const keptLeft = async () => left((await stored.findOne({}))!['expires_at'] as Date);
    expect(await keptLeft()).toBeCloseTo(30, 0);
    await stored.updateOne({}, { $set: { expires_at: new Date(Date.now() + MINUTE) } });
    expect(left((await sessions.find(store, token))!.expires_at)).toBeCloseTo(30, 0);
    expect(await keptLeft()).toBeCloseTo(30, 0);
  });
});

describe('hash-key', () => {
  beforeEach(async () => {
    await dropPreviousHashKey(store); // the tests share their keys
  });

  test('a second exchange waits until the key before is dropped: no farmer is lost to it', async () => {
    const id = await farmerIdOf(store, PHONE);
    expect([await addHashKey(store), await addHashKey(store)]).toEqual([true, false]);
    expect(await findFarmerId(store, PHONE)).toBe(id);
  });

  slowTest('after each exchange a farmer is hashed anew once, and stays the same', async () => {
    const ids = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
    for (let exchange = 0; exchange < 3; exchange++) {
      expect(await addHashKey(store)).toBe(true);
      expect(await countHashedBefore(store)).toMatchObject({ farmers: 2, before: 2 });
      for (const visit of [1, 2])
        expect([visit, await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)]).toEqual([
          visit,
          ...ids,
        ]);
      expect(await countHashedBefore(store)).toMatchObject({ farmers: 2, before: 0 });
      await dropPreviousHashKey(store);
    }
  });

  test('one who has not come since the exchange is forgotten, too', async () => {
    const [id, other] = [await farmerIdOf(store, PHONE), await farmerIdOf(store, OTHER)];
    await addHashKey(store);
    expect(await forgetFarmer(store, id)).toBe(1);
    expect([await findFarmerId(store, PHONE), await findFarmerId(store, OTHER)]).toEqual([undefined, other]);
  });
});
