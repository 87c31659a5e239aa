import { MongoNetworkError } from 'mongodb';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { codeCounts, countCode, countGuess } from '../../api/limits/code-limits';
import {
  countAttempt,
  forgetAttempts,
  knownBrowserCounts,
  phoneCounts,
  unlockPhone,
} from '../../store/codes/attempt-counts';
import type { Store } from '../../store/store';
import { isUnavailable } from '../../store/unavailable';
import { type Call, rewire } from '../commit-order/rewire';
import { cases, slowTest, nightlyTest } from '../setup/cases';
import { holdForm } from '../setup/hold-form';
import { emptyStore } from '../setup/open-store';
import { guessAtOnce, newCode, otherThan, postFrom } from './guess';
import {
  accountsOf,
  type Farmers,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  sent,
  startFarmers,
} from './start-farmers';
import { csrfOf, Visitor } from './visitor';
import { leftError } from '../api/left-error';

let farmers: Farmers;

describe('guesses', () => {
  beforeAll(async () => {
    farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
    await pushAccounts(farmers, accountsOf(PHONE, 1));
  });
  beforeEach(() => farmers.forgetAttempts());
  afterEach(() => jest.restoreAllMocks());

  const DAY = { limit: 100, windowMs: 24 * 3_600_000 };

  /** As if so many guesses at the phone had been compared within the hour. */
  const guessed = async (times: number) => {
    const { guesses, guessesDay } = phoneCounts(PHONE);
    await countAttempt(farmers.store, guesses, { limit: 30, windowMs: 3_600_000 }, times);
    await countAttempt(farmers.store, guessesDay, DAY, times);
  };

  test('all known browsers of a phone together have an end, which unlocking takes back', async () => {
    const { store } = farmers;
    const asking = {
      phone: PHONE,
      address: '203.0.113.9',
      channel: 'acme',
      device: 'another',
      signed: false,
    };
    const code = () => countCode(store, codeCounts(asking, { codes: farmers.settings.codes }).own);
    const { codes, guesses } = knownBrowserCounts(PHONE);
    await countAttempt(store, guesses, { limit: 300, windowMs: DAY.windowMs }, 300);
    await countAttempt(store, codes, { limit: 30, windowMs: DAY.windowMs }, 30);
    expect([await countGuess(store, asking, 6), await code()]).toEqual([
      { waitMs: expect.any(Number) },
      expect.any(Number),
    ]);
    expect(await code()).toBeGreaterThan(0);
    await unlockPhone(store, PHONE);
    expect([await countGuess(store, asking, 6), await code()]).toEqual(['counted', 0]);
  });

  /** Five each at a code of its own. @returns how many were compared */
  async function guessFromEverywhere(times: number): Promise<number> {
    const outcomes: unknown[] = [];
    for (let time = 0; time < times; time += 5) {
      const { code, guess } = await newCode(farmers.store);
      outcomes.push(...(await Promise.all(Array.from({ length: 5 }, () => guess(otherThan(code))))));
    }
    return outcomes.filter((outcome) => outcome === 'wrong').length;
  }

  nightlyTest(
    'asking for a code to another phone, and a provider that fails, take back no guess',
    async () => {
      const visitor = farmers.visitor();
      await visitor.get(linkTo());
      let [compared, others] = [0, 0];
      jest.spyOn(farmers.sender, 'send').mockImplementation(async ({ to, body }) => {
        if (to !== `+1${PHONE}`) return;
        compared += await guessAtOnce(visitor, Array(6).fill(otherThan(body.slice(0, 6))));
        await postFrom(visitor, 'phone', { phone: `70155503${10 + others++}` });
        throw new Error('late');
      });
      visitor.waits = false;
      for (let round = 0; round < 8; round++) {
        await postFrom(visitor, 'phone', { phone: PHONE });
        await farmers.sender.codeSent(PHONE);
      }
      expect(others).toBeGreaterThan(6);
      expect([compared <= 30, compared > 25]).toEqual([true, true]);
    },
  );

  slowTest('30 guesses an hour and 100 a day at one phone, whatever the session and the code', async () => {
    const { guesses, guessesDay } = phoneCounts(PHONE);
    const anHour = async () => {
      const compared = await guessFromEverywhere(35);
      await forgetAttempts(farmers.store, [guesses]);
      return compared;
    };
    const first = await anHour();
    await countAttempt(farmers.store, guessesDay, DAY, 60); // of two hours more
    const compared = [first, await anHour(), await anHour()];
    // At most, and hardly fewer: where two first guesses race, a stand-in of MongoDB may count one of them twice.
    expect(Math.max(...compared)).toBeLessThanOrEqual(30);
    const all = compared.reduce((sum, one) => sum + one);
    expect([all <= 40, all > 30, compared.at(-1)]).toEqual([true, true, 0]);
  });

  test('guesses that are not compared use up nothing of the day', async () => {
    const { guesses, guessesDay } = phoneCounts(PHONE);
    await guessed(30);
    await countAttempt(farmers.store, guessesDay, DAY, 68);
    expect(await guessFromEverywhere(5)).toBe(0);
    await forgetAttempts(farmers.store, [guesses]);
    expect(await guessFromEverywhere(5)).toBe(2);
  });

  test('the right code is not compared either, and the page says how long to wait', async () => {
    await guessed(30);
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    await visitor.submit({});
    await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    expect([visitor.page.status, visitor.text]).toEqual([
      429,
      expect.stringMatching(/Too many codes were tried .*try again in 60 minutes/),
    ]);
    expect(Number(visitor.page.headers['retry-after'])).toBeGreaterThan(3_000);
  });

  slowTest('what is no code costs nothing', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    await visitor.submit({});
    await guessAtOnce(visitor, Array(40).fill('12345x'));
    await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    expect(visitor.page.path).toBe('/subscriptions/accounts');
  });

  describe('a browser in which the phone was verified before', () => {
    const visit = async (visitor: Visitor) => {
      await visitor.get(linkTo());
      await visitor.submit({});
    };
    const enter = (visitor: Visitor) => visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    const usedUp = async () => {
      await guessed(30);
      await countAttempt(farmers.store, phoneCounts(PHONE).codes, { limit: 3, windowMs: 600_000 }, 3);
    };

    slowTest('gets in while others have used up the codes and guesses of the phone', async () => {
      const own = await farmers.verified();
      await usedUp();
      await visit(own);
      await farmers.store.db.collection('sign_in_codes').updateMany({}, { $set: { sent_at: new Date(0) } });
      await own.submit({ do: 'resend' });
      await enter(own);
      expect(own.page.path).toBe('/subscriptions/accounts');
      const fresh = farmers.visitor();
      await visit(fresh);
      expect(fresh.at).toBe('429 /subscriptions/phone');
    });

    slowTest('gets in when the day of all others is used up', async () => {
      const own = await farmers.verified();
      const { codes } = farmers.settings;
      farmers.settings.codes = { ...codes, perDay: 0 };
      await visit(own);
      const fresh = farmers.visitor();
      await visit(fresh);
      farmers.settings.codes = codes;
      expect([own.page.path, fresh.page.status]).toEqual(['/subscriptions/code', 429]);
    });

    slowTest('has budgets of the same size, so that a stolen cookie has no more', async () => {
      const thief = (await farmers.verified()).twin();
      await usedUp();
      const before = farmers.sender.tried;
      for (let time = 0; time < 5; time++) await visit(thief.twin());
      expect(farmers.sender.tried - before).toBe(3);
      expect([thief.page.status]).toEqual([200]);
    });

    test('is known for this phone only', async () => {
      const own = await farmers.verified({ phone: '7015550188' });
      await usedUp();
      await visit(own);
      expect(own.page.status).toBe(429);
    });

    test('nor for another phone that is typed in place of the link’s', async () => {
      const own = await farmers.verified({ phone: '7015550188' });
      await usedUp();
      await own.get(linkTo({ phone: '7015550188', partner_id: 'another' }));
      await own.submit({ phone: PHONE });
      expect(own.at).toBe('429 /subscriptions/phone');
    });

    test.each([
      [
        'forged',
        (cookie: string) => cookie.replace(/(?<=gdx-device=.{30})./, (was) => (was === 'a' ? 'b' : 'a')),
      ],
      ['cut off', (cookie: string) => cookie.replace(/(gdx-device=.{30}).*/, '$1')],
      ['of nothing', (cookie: string) => cookie.replace(/gdx-device=.*/, 'gdx-device=')],
    ])('one with a cookie %s is not known', async (_, changed) => {
      const own = await farmers.verified();
      await usedUp();
      own.cookie = changed(own.cookie!);
      await visit(own);
      expect(own.page.status).toBe(429);
    });
  });

  test('in production the cookie is bound to host and TLS; no script reads it, and it lasts a year', async () => {
    const { headers } = await farmers.inProduction(async () => {
      const visitor = farmers.visitor();
      await visitor.get(linkTo());
      await visitor.submit({});
      const form = new URLSearchParams({ csrf: csrfOf(visitor), code: farmers.sender.codeFor(PHONE) });
      return farmers.ask('POST', '/subscriptions/code', {
        headers: { cookie: visitor.cookie!, 'content-type': 'application/x-www-form-urlencoded' },
        body: String(form),
      });
    });
    const cookies = [headers['set-cookie']].flat().filter((one) => one?.includes('device'));
    expect(cookies).toEqual([
      expect.stringMatching(
        /^__Host-gdx-device=[\w-]{70}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
  });

  nightlyTest('one browser knows five phones, the last ones', async () => {
    const visitor = farmers.visitor();
    for (let phone = 7015550181; phone <= 7015550187; phone++) {
      await farmers.forgetAttempts();
      await visitor.get(linkTo({ phone: String(phone) }));
      await visitor.submit({});
      await visitor.submit({ code: farmers.sender.codeFor(String(phone)) });
    }
    expect(/gdx-device=([\w-]+)/.exec(visitor.cookie!)![1]).toHaveLength(Math.ceil((5 * 52 * 4) / 3));
  });

  slowTest(
    'unlocked by an operator, codes are compared again, also where the day’s are used up',
    async () => {
      await guessed(100);
      expect(await guessFromEverywhere(5)).toBe(0);
      await unlockPhone(farmers.store, PHONE);
      const compared = await guessFromEverywhere(35);
      expect([compared <= 30, compared > 25]).toEqual([true, true]);
    },
  );
});

describe('counts away', () => {
  let store: Store;
  beforeEach(async () => {
    store = await emptyStore();
  });

  /** The store, with MongoDB away from the call on that takes a count for so-many-th time. */
  function awayFrom(count: number): Store {
    let counts = 0;
    return rewire(store, (call: Call) => {
      const isCount = call.collection === 'attempt_counts' && call.method === 'findOneAndUpdate';
      if (isCount && ++counts >= count) throw new MongoNetworkError('connection closed');
      return call.run();
    });
  }

  // The counts of the phone: those of the hour and of the day.
  test.each([1, 2])(
    'MongoDB away at count %i of a guess: the right code is not compared, and the guess has cost a try',
    async (count) => {
      const { code, guess } = await newCode(store);
      const refused = await guess(code, awayFrom(count)).catch((error: unknown) => error);
      expect(isUnavailable(refused)).toBe(true);
      expect(await store.db.collection('sign_in_codes').findOne({})).toMatchObject({ tries: 1 });
      expect(await guess(code)).toBe('right');
    },
  );

  test('MongoDB away before any count: nothing is compared and nothing is counted', async () => {
    const { code, guess } = await newCode(store);
    const away = rewire(store, (call) => {
      if (call.collection === 'sign_in_codes') throw new MongoNetworkError('connection closed');
      return call.run();
    });
    await expect(guess(code, away)).rejects.toThrow('connection closed');
    expect(await store.db.collection('attempt_counts').countDocuments()).toBe(0);
  });
});

describe('stolen phone', () => {
  // PHONE is the attacker's own; the accounts are those of OTHER_PHONE.
  beforeAll(async () => {
    farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
    await pushAccounts(farmers, accountsOf(OTHER_PHONE, 2));
  });
  beforeEach(async () => {
    farmers.sender.outcome = sent;
    await farmers.forgetAttempts();
  });

  const codesWereSent = (millisecondsAgo: number) => {
    const sent_at = new Date(Date.now() - millisecondsAgo);
    return farmers.store.db.collection('sign_in_codes').updateMany({}, { $set: { sent_at } });
  };
  const changeTo = (visitor: Visitor, csrf: string, phone: string) =>
    visitor.twin().post('/subscriptions/phone', new URLSearchParams({ csrf, phone }));
  const guess = async (visitor: Visitor, csrf: string, code: string) => {
    const tried = visitor.twin();
    await tried.post('/subscriptions/code', new URLSearchParams({ csrf, code }));
    return tried.page;
  };
  const from = (address: string) => new Visitor(farmers.port, { 'x-forwarded-for': address });

  /** A session whose code for its own phone is on its way back. */
  async function withCode(partner_id: string) {
    const visitor = farmers.visitor();
    await visitor.get(linkTo({ phone: PHONE, partner_id }));
    await visitor.submit({});
    return { visitor, csrf: csrfOf(visitor), code: farmers.sender.codeFor(PHONE) };
  }

  slowTest(
    'a code for one phone does not prove the one that the session was changed to meanwhile',
    async () => {
      for (const number of [1, 2, 3]) {
        const other = farmers.visitor();
        await other.get(linkTo({ phone: OTHER_PHONE, partner_id: `used-up-${number}` }));
        await other.submit({}); // its three texts: the change below sends none, and the code stays as it is
      }
      const { visitor, csrf, code } = await withCode('held');
      const sendRest = await holdForm(farmers, '/subscriptions/code', {
        cookie: visitor.cookie,
        form: { csrf, code },
      });
      expect((await changeTo(visitor, csrf, OTHER_PHONE)).status).toBe(429);
      expect(leftError(await sendRest())).toMatchObject({ kind: 'stale' });
      await visitor.get('/subscriptions/accounts');
      expect(visitor.page.path).not.toContain('accounts');
    },
  );

  slowTest('a code for another phone leaves the first one as it is: its tries go on counting', async () => {
    const { visitor, csrf, code } = await withCode('two-codes');
    const wrong = otherThan(code);
    for (let time = 0; time < 4; time++) await guess(visitor, csrf, wrong);
    await codesWereSent(31_000); // long enough for another one
    await changeTo(visitor, csrf, OTHER_PHONE);
    await codesWereSent(0);
    await changeTo(visitor, csrf, PHONE);
    expect((await guess(visitor, csrf, wrong)).html).toContain('That code is not right');
    expect((await guess(visitor, csrf, code)).html).toContain('That code no longer works');
  });

  nightlyTest('nor when both come at the same time', async () => {
    for (let round = 0; round < cases(4, 10); round++) {
      await farmers.forgetAttempts();
      const { visitor, csrf, code } = await withCode(`race-${round}`);
      await Promise.all([guess(visitor, csrf, code), changeTo(visitor, csrf, OTHER_PHONE)]);
      await visitor.get('/subscriptions/accounts');
      expect(visitor.text).not.toContain('Meyer Farms');
    }
  });

  describe('texts that fail', () => {
    const failing = async (partner_id: string) => {
      const codes: string[] = [];
      jest.spyOn(farmers.sender, 'send').mockImplementation(async ({ body }) => {
        codes.push(/^(\d{6})/.exec(body)![1]!);
        throw new Error('the recipient has opted out');
      });
      const visitor = farmers.visitor();
      await visitor.get(linkTo({ phone: OTHER_PHONE, partner_id }));
      return { visitor, csrf: csrfOf(visitor), codes };
    };
    afterEach(() => jest.restoreAllMocks());

    test('their codes open nothing', async () => {
      const { visitor, csrf, codes } = await failing('opens-nothing');
      await changeTo(visitor, csrf, OTHER_PHONE);
      await whenAllIsDone(); // the page may come before the provider has refused
      await visitor.get('/subscriptions/code');
      expect(visitor.page.status).toBe(503);
      await guess(visitor, csrf, codes[0]!);
      await visitor.get('/subscriptions/accounts');
      expect(visitor.page.path).not.toContain('accounts');
    });

    slowTest('they can be asked for again at once', async () => {
      const { visitor, csrf, codes } = await failing('asked-again');
      for (let round = 0; round < 5; round++) {
        await changeTo(visitor, csrf, OTHER_PHONE);
        await whenAllIsDone();
      }
      expect(codes).toHaveLength(5);
    });
  });

  nightlyTest('an address over its limit uses up nobody’s', async () => {
    const bad = from('198.51.100.1');
    await bad.get(linkTo());
    const csrf = csrfOf(bad);
    for (let line = 0; line < 60; line++)
      await changeTo(bad, csrf, `70155502${String(line).padStart(2, '0')}`);
    for (let time = 0; time < 3; time++) expect((await changeTo(bad, csrf, OTHER_PHONE)).status).toBe(429);
    const farmer = from('203.0.113.9');
    await farmer.get(linkTo({ phone: OTHER_PHONE }));
    await farmer.submit({});
    expect(farmer.at).toBe('200 /subscriptions/code');
  });

  test('a form for nobody knows whom is small, and holds nothing that pushes need', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo());
    const long = new URLSearchParams({ csrf: csrfOf(visitor), phone: '7'.repeat(20_000) });
    expect((await visitor.twin().post('/subscriptions/phone', long)).status).toBe(400);
    const signIn = await farmers.visitor().post('/ops/sign-in', long);
    expect(signIn.status).toBe(400);
  });
});
