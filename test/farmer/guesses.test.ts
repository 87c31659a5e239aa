import { unlockPhone } from '../../store/access/unlock-phone';
import { guessCode } from '../../api/farmer/guess-code';
import { findFarmerSession, openFarmerSession } from '../../store/access/farmer-sessions';
import { newSignInCode } from '../../store/access/sign-in-codes';
import { phoneCounts } from '../../store/access/phone-counts';
import { countAttempt, forgetAttempts } from '../../store/access/attempt-counts';
import { guessAtOnce, otherThan, postFrom } from './guess';
import { closeStore } from '../../store/connect';
import { openStore } from '../setup/open-store';
import { accountsOf, linkTo, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';
import { csrfOf, textOf, type Visitor } from './visitor';
import { slowTest } from '../setup/cases';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
  await pushAccounts(farmers, accountsOf(PHONE, 1));
});
afterAll(() => farmers.stop());
beforeEach(() => farmers.forgetAttempts());
afterEach(() => jest.restoreAllMocks());

const DAY = { limit: 100, windowMs: 24 * 3_600_000 };

/** As if so many guesses at the phone had been compared within the hour. */
const guessed = async (times: number) => {
  const { guesses, guessesDay } = phoneCounts(PHONE, undefined);
  await countAttempt(farmers.store, guesses, { limit: 30, windowMs: 3_600_000 }, times);
  await countAttempt(farmers.store, guessesDay, DAY, times);
};

/** Five each in a session, at a code of its own. @returns how many were compared */
async function guessFromEverywhere(times: number): Promise<number> {
  const { store } = farmers;
  const link = { channel: 'acme', partner_id: 'p', display_name: 'd', callback_url: 'https://acme.example/' };
  const outcomes: unknown[] = [];
  for (let time = 0; time < times; time += 5) {
    const token = await openFarmerSession(store, { link, language: 'en', phone: PHONE });
    const session = (await findFarmerSession(store, token))!;
    const { code } = (await newSignInCode(store, session, PHONE, { via: 'text', shown: false }))!;
    const guess = () => guessCode(store, session, otherThan(code), undefined);
    outcomes.push(...(await Promise.all(Array.from({ length: 5 }, guess))));
  }
  return outcomes.filter((outcome) => outcome === 'wrong').length;
}

slowTest('asking for a code to another phone, and a provider that fails, take back no guess', async () => {
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
});

slowTest('30 guesses an hour and 100 a day at one phone, whatever the session and the code', async () => {
  const { guesses, guessesDay } = phoneCounts(PHONE, undefined);
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
  const { guesses, guessesDay } = phoneCounts(PHONE, undefined);
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
  expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([
    429,
    expect.stringMatching(/Too many codes were tried .*try again in 60 minutes/),
  ]);
  expect(Number(visitor.page.headers['retry-after'])).toBeGreaterThan(3_000);
});

test('what is no code costs nothing', async () => {
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
    await countAttempt(
      farmers.store,
      phoneCounts(PHONE, undefined).codes,
      { limit: 3, windowMs: 600_000 },
      3,
    );
  };

  test('gets in while others have used up the codes and guesses of the phone', async () => {
    const own = await farmers.verified();
    await usedUp();
    await visit(own);
    await farmers.store.db.collection('sign_in_codes').updateMany({}, { $set: { sent_at: new Date(0) } });
    await own.submit({ do: 'resend' });
    await enter(own);
    expect(own.page.path).toBe('/subscriptions/accounts');
    const fresh = farmers.visitor();
    await visit(fresh);
    expect([fresh.page.status, fresh.page.path]).toEqual([429, '/subscriptions/phone']);
  });

  test('gets in when the day of all others is used up', async () => {
    const own = await farmers.verified();
    const { codes } = farmers.settings;
    farmers.settings.codes = { ...codes, perDay: 0 };
    await visit(own);
    const fresh = farmers.visitor();
    await visit(fresh);
    farmers.settings.codes = codes;
    expect([own.page.path, fresh.page.status]).toEqual(['/subscriptions/code', 429]);
  });

  test('has budgets of the same size, so that a stolen cookie has no more', async () => {
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
    expect([own.page.status, own.page.path]).toEqual([429, '/subscriptions/phone']);
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
  const secure = await startFarmers({
    farmer: { production: true, publicUrl: 'https://farmers.example' },
    store: await openStore(),
  });
  const visitor = secure.visitor();
  await visitor.get(linkTo());
  await visitor.submit({});
  const form = new URLSearchParams({ csrf: csrfOf(visitor), code: secure.sender.codeFor(PHONE) });
  const { headers } = await secure.ask('POST', '/subscriptions/code', {
    headers: { cookie: visitor.cookie!, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(form),
  });
  await secure.stop();
  await closeStore(secure.store);
  const cookies = [headers['set-cookie']].flat().filter((one) => one?.includes('device'));
  expect(cookies).toEqual([
    expect.stringMatching(
      /^__Host-gdx-device=[\w-]{70}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ]);
});

slowTest('one browser knows five phones, the last ones', async () => {
  const visitor = farmers.visitor();
  for (let phone = 7015550181; phone <= 7015550187; phone++) {
    await farmers.forgetAttempts();
    await visitor.get(linkTo({ phone: String(phone) }));
    await visitor.submit({});
    await visitor.submit({ code: farmers.sender.codeFor(String(phone)) });
  }
  expect(/gdx-device=([\w-]+)/.exec(visitor.cookie!)![1]).toHaveLength(Math.ceil((5 * 52 * 4) / 3));
});

test('unlocked by an operator, codes are compared again, also where the day’s are used up', async () => {
  await guessed(100);
  expect(await guessFromEverywhere(5)).toBe(0);
  await unlockPhone(farmers.store, PHONE);
  const compared = await guessFromEverywhere(35);
  expect([compared <= 30, compared > 25]).toEqual([true, true]);
});
