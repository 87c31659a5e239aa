import { setTimeout as sleep } from 'node:timers/promises';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { sendCode } from '../../api/farmer/send-code';
import { NoAnswer, NumberNotTaken } from '../../api/farmer/sms/text-sender';
import type { FarmerDeps } from '../../api/farmer/farmer-state';
import { LONGEST_CODE } from '../../domain/text/read-code';
import { farmerOf } from '../../store/consent/subscriptions';
import { type Around, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { cases, scaledTest, slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { emptyStore } from '../setup/open-store';
import { newCode, openSession, otherThan } from './guess';
import {
  accountsOf,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
  fails,
  sent,
} from './start-farmers';
import { csrfOf, Visitor } from './visitor';

// Beside PHONE, of which accounts are looked at.
const LISTED = '7015550177';
const GUESSES = cases(40, 200);

let farmers: Farmers;
/** Around each call of the pages to a collection. */
let around: Around = ({ run }) => run();

beforeAll(async () => {
  farmers = await startFarmers({ store: rewire(await emptyStore(), (call) => around(call)) });
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  await pushAccounts(farmers, accountsOf(LISTED, 1, 50));
});
beforeEach(async () => {
  farmers.sender.outcome = sent;
  await farmers.forgetAttempts();
});

const codes = () => farmers.store.db.collection('sign_in_codes');
const age = (milliseconds: number) =>
  codes().updateMany({}, { $set: { sent_at: new Date(Date.now() - milliseconds) } });

const asked = (phone?: string) => farmers.asked(phone);

test('blanks and a dash in the code are fine', async () => {
  const { visitor, code } = await asked();
  await visitor.submit({ code: ` ${code.slice(0, 3)}-${code.slice(3)} ` });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

test('as many characters can be typed as are read, blanks between eight digits among them', async () => {
  const { visitor } = await asked();
  expect(Number(/ maxlength="(\d+)"/.exec(visitor.page.html)?.[1])).toBe(LONGEST_CODE);
  expect(' 1 2 3 4 - 5 6 7 8 '.length).toBeLessThanOrEqual(LONGEST_CODE);
});

test('a code of any length that was sent once says that it no longer works, and not that it is none', async () => {
  const { visitor, code } = await asked();
  await codes().deleteMany({});
  for (const typed of [code, `${code}12`]) {
    await visitor.post('/subscriptions/code', new URLSearchParams({ csrf: csrfOf(visitor), code: typed }));
    expect(visitor.text).toContain('That code no longer works');
  }
});

test('what is no code costs no try', async () => {
  const { visitor } = await asked();
  for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５']) {
    await visitor.submit({ code });
    expect([code, visitor.at]).toEqual([code, '422 /subscriptions/code']);
    expect(visitor.text).toContain('Enter the 6 digits of the code');
  }
  expect(await codes().findOne({}, { sort: { sent_at: -1 } })).toMatchObject({ tries: 0 });
});

slowTest('five wrong tries, and the right code no longer opens', async () => {
  const { visitor, code } = await asked();
  for (let attempt = 0; attempt < 5; attempt++) {
    await visitor.submit({ code: otherThan(code) });
    expect(visitor.text).toContain('That code is not right');
  }
  await visitor.submit({ code });
  expect(visitor.at).toBe('422 /subscriptions/code');
  expect(visitor.text).toContain('That code no longer works');
});

test('a late code does not open', async () => {
  const { visitor, code } = await asked();
  await codes().updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });
  await visitor.submit({ code });
  expect(visitor.text).toContain('That code no longer works');
});

slowTest('a code opens once, and only the session it was asked for in', async () => {
  const { visitor, code } = await asked();
  const stranger = await asked();
  await stranger.visitor.submit({ code });
  expect(stranger.visitor.page.path).toBe('/subscriptions/code');
  await visitor.submit({ code });
  expect(visitor.page.path).toBe('/subscriptions/accounts');

  const later = farmers.visitor();
  await later.get(linkTo());
  await later.get('/subscriptions/accounts');
  expect(later.page.path).toBe('/subscriptions/phone');
  await later.submit({});
  await later.submit({ code });
  expect(later.text).toContain('That code is not right');
});

/** What comes of so many guesses at one new code, made at the same time. */
async function guessAtOnce(times: number, guessed: (code: string) => string) {
  const { code, guess } = await newCode(farmers.store);
  const outcomes = await Promise.all(Array.from({ length: times }, () => guess(guessed(code))));
  return { outcomes: outcomes.sort(), later: await guess(guessed(code)) };
}

test('of five right codes at the same time one opens, and none later', async () => {
  expect(await guessAtOnce(5, (code) => code)).toEqual({
    outcomes: ['over', 'over', 'over', 'over', 'right'],
    later: 'over',
  });
});

scaledTest(`${GUESSES} guesses at once: 5 are compared`, async () => {
  const { outcomes } = await guessAtOnce(GUESSES, otherThan);
  expect(outcomes).toEqual([...Array(GUESSES - 5).fill('over'), ...Array(5).fill('wrong')]);
});

test('two taps with the right code: both go on', async () => {
  const { visitor, code } = await asked();
  await visitor.get('/subscriptions/code');
  const twins = [visitor.twin(), visitor.twin()];
  await Promise.all(twins.map((twin) => twin.submit({ code })));
  expect(twins.map(({ at }) => at)).toEqual(Array(2).fill('200 /subscriptions/accounts'));
  await visitor.submit({ code });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

/** Holds the first tap before its call to the sessions, until the second one looks: it may wait for what the first one holds. */
function holdFirstTap(before: string, second?: string) {
  const halt = stopHere();
  let isFirst = true;
  around = async ({ collection, method, run }) => {
    if (isFirst && collection === 'sessions' && method === before) {
      isFirst = false;
      await halt.here();
    } else if (!isFirst && collection === second && method === 'findOneAndUpdate') halt.goOn();
    return run();
  };
  return halt;
}

describe.each([
  ['has used the code', 'replaceOne', 'sign_in_codes'],
  ['has ended the old id', 'insertOne', 'sessions'],
])('a second tap once the first one %s', (_, before, second) => {
  afterEach(() => (around = ({ run }) => run()));

  test.each(['/subscriptions/accounts', '/sharing/customers'])('leads on to %s as well', async (next) => {
    const visitor = farmers.visitor();
    const isLink = next === '/subscriptions/accounts';
    await visitor.get(isLink ? linkTo() : '/sharing');
    await visitor.submit({ phone: PHONE });
    const code = farmers.sender.codeFor(PHONE);
    const halt = holdFirstTap(before, second);
    const [first, last] = [visitor.twin(), visitor.twin()];
    const answered = first.submit({ code });
    await halt.reached;
    await last.submit({ code });
    await answered;
    expect([first.at, last.at]).toEqual(Array(2).fill(`200 ${next}`));
  });
});

describe('two phones that are proven in one browser at the same moment', () => {
  afterEach(() => (around = ({ run }) => run()));

  const LINK = '/subscriptions/accounts';
  const WHO_SEES = '/sharing/customers';

  /** The tab of a link, and one of “who sees my grain data” with another phone. Each shows the page of its code. */
  async function twoTabs() {
    const { visitor: link, code: first } = await asked();
    const sharing = link.twin();
    await sharing.get('/sharing');
    await sharing.submit({ phone: OTHER_PHONE });
    link.cookie = sharing.cookie;
    const second = farmers.sender.codeFor(OTHER_PHONE);
    return {
      link: () => link.submit({ code: first }),
      sharing: () => sharing.submit({ code: second }),
      async open(): Promise<string[]> {
        await Promise.all([link.get(LINK), sharing.get(WHO_SEES)]);
        return [link.at, sharing.at].filter((at) => at.startsWith('200'));
      },
    };
  }

  test.each([
    ['that is over before the first one is written', 'replaceOne', undefined, LINK],
    ['while the first one is written', 'insertOne', 'sessions', WHO_SEES],
  ])('a second one %s: the visit stays that was opened last', async (_, before, until, stays) => {
    const { link, sharing, open } = await twoTabs();
    const halt = holdFirstTap(before, until);
    const proven = link();
    await halt.reached;
    await sharing();
    halt.goOn();
    await proven;
    expect(await open()).toEqual([`200 ${stays}`]);
  });

  test('one visit stays, however they meet', async () => {
    for (let time = 0; time < cases(4, 40); time += 1) {
      const { link, sharing, open } = await twoTabs();
      await Promise.all([link(), sharing()]);
      expect(await open()).toHaveLength(1);
      await farmers.forgetAttempts();
    }
  });
});

test('a second tap on the code for a copy leads to the copy as well', async () => {
  const visitor = await farmers.share(['42-1']);
  await visitor.get('/sharing/customers');
  await visitor.submit({ copy: 'acme' });
  await visitor.submit({ do: 'resend' });
  const code = farmers.sender.codeFor(PHONE);
  const halt = holdFirstTap('updateOne', 'sign_in_codes');
  const twins = [visitor.twin(), visitor.twin()];
  const answered = twins[0]!.submit({ code });
  await halt.reached;
  await twins[1]!.submit({ code });
  await answered;
  around = ({ run }) => run();
  for (const { page } of twins) expect(page.html).toContain('href="/sharing/copy/file"');
});

test('a new code takes the place of the old one, after 30 seconds; the old one is known as that and costs no try', async () => {
  const { visitor, code } = await asked();
  await visitor.submit({ do: 'resend' });
  expect(visitor.text).toContain('Wait 30 seconds');
  expect(farmers.sender.codeFor(PHONE)).toBe(code);
  await age(31_000);
  await visitor.submit({ do: 'resend' });
  const next = farmers.sender.codeFor(PHONE);
  expect([visitor.at, next === code]).toEqual(['200 /subscriptions/code', false]);
  for (let time = 0; time < 6; time++) {
    await visitor.submit({ code });
    expect(visitor.at).toBe('422 /subscriptions/code');
    expect(visitor.text).toContain('That code was replaced. Use the newest text');
  }
  await visitor.submit({ code: next });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

test('a double tap sends one text', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  const before = farmers.sender.texts.length;
  await Promise.all([1, 2, 3].map(() => visitor.twin().submit({})));
  expect(farmers.sender.texts.length - before).toBe(1);
});

test('of two taps, the one that comes second between its look and its code costs nothing', async () => {
  const { store, sender, settings: farmer } = farmers;
  const session = await openSession(store, LISTED);
  const asking = {
    phone: LISTED,
    address: '203.0.113.7',
    device: undefined,
    channel: undefined,
    signed: false,
  };
  const from = { via: 'text', asking } as const;
  const tap = (seen: FarmerDeps['store']) =>
    sendCode({ store: seen, sender, farmer } as unknown as FarmerDeps, { session, channel: undefined }, from);
  let isFirst = true;
  const late = rewire(store, async ({ collection, method, run }) => {
    const found = await run();
    if (collection === 'sign_in_codes' && method === 'findOne' && isFirst) {
      isFirst = false;
      await tap(store);
    }
    return found;
  });
  expect(await tap(late)).toBe('tooSoon');
  await whenAllIsDone();
  const counts = await store.db.collection('attempt_counts').find().toArray();
  expect(new Set(counts.map(({ points }) => points as number))).toEqual(new Set([1]));
});

test('each count lasts ten minutes, an hour or a day', async () => {
  const { visitor, code } = await asked(OTHER_PHONE);
  await visitor.submit({ code: otherThan(code) });
  const counts = await farmers.store.db.collection('attempt_counts').find().toArray();
  const minutes = counts.map(({ expire }) => Math.round(((expire as Date).getTime() - Date.now()) / 60_000));
  // The link of its address and channel, the code of its phone, address and channel; the guess of its phone; then the days
  // of the phone, the channel, all, the address and all for numbers that no account lists, and the guesses of the phone. Over all
  // phones: codes that nobody has entered and wrong guesses, of an hour and a day, and the guesses of the address.
  expect(minutes.sort((a, b) => a - b)).toEqual([
    ...Array(5).fill(10),
    ...Array(4).fill(60),
    ...Array(8).fill(1_440),
  ]);
});

test('a browser in Spanish gets its page, its text and its call in Spanish; the call also where the code is entered', async () => {
  const visitor = new Visitor(farmers.port, { 'accept-language': 'es-MX,es;q=0.9,en;q=0.5' });
  await visitor.get(linkTo({ phone: '7015550166' }));
  expect(visitor.page.html).toContain('<html lang="es">');
  await visitor.submit({});
  expect(farmers.sender.texts.at(-1)?.body).toMatch(/^\d{6} es su codigo de /);
  await age(31_000);
  await visitor.submit({ do: 'call' });
  expect(visitor.page.path).toBe('/subscriptions/code');
  expect(farmers.sender.calls.at(-1)).toMatchObject({
    language: 'es',
    body: expect.stringContaining('código'),
  });
  expect(visitor.text).toContain('Estamos llamando');
});

slowTest('what becomes of codes is counted for the alert', async () => {
  const activity = farmers.store.db.collection('code_activity');
  await activity.deleteMany({});
  const { visitor, code } = await asked();
  await visitor.submit({ code: otherThan(code) });
  await visitor.submit({ code });
  const { codes } = farmers.settings;
  farmers.settings.codes = { ...codes, unlistedPerDay: 0 };
  await asked(OTHER_PHONE);
  farmers.settings.codes = { ...codes, perDay: 0 };
  await asked(LISTED);
  farmers.settings.codes = codes;
  await whenAllIsDone();
  const counted: Record<string, number> = {};
  for (const { counts } of await activity.find({ channel: 'acme' }).toArray())
    for (const [status, count] of Object.entries(counts as Record<string, number>))
      counted[status] = (counted[status] ?? 0) + count;
  expect(counted).toEqual({ sent: 1, wrong: 1, right: 1, withheld: 1, limited: 1 });
});

slowTest(
  'a phone gets three texts in ten minutes and ten a day, whatever the number of sessions',
  async () => {
    const before = farmers.sender.texts.length;
    let last = farmers.visitor();
    for (let visit = 0; visit < 5; visit++) last = (await asked(LISTED)).visitor;
    expect(farmers.sender.texts.length - before).toBe(3);
    expect(last.at).toBe('429 /subscriptions/phone');
    expect(Number(last.page.headers['retry-after'])).toBeGreaterThan(500);
    expect(last.text).toContain('Please try again in 10 minutes');

    const counts = farmers.store.db.collection('attempt_counts');
    for (let day = 0; day < 8; day++) {
      // Ten minutes later: the short window has passed, the long one has not.
      await counts.deleteMany({ expire: { $lt: new Date(Date.now() + 11 * 60_000) } });
      last = (await asked(LISTED)).visitor;
    }
    expect(farmers.sender.texts.length - before).toBe(10);
    expect(last.text).toMatch(/try again in 2[34] hours/);
  },
);

describe('whether a phone has accounts', () => {
  const refusesNumber = async () => {
    throw new NumberNotTaken('answered 400');
  };

  /** What an attacker sees of a phone: two pages, and when they come. */
  async function seenOf(phone: string) {
    await farmers.forgetAttempts();
    const visitor = farmers.visitor();
    visitor.waits = false;
    await visitor.get(linkTo({ phone }));
    const began = performance.now();
    const first = await visitor.submit({});
    await whenAllIsDone();
    const took = performance.now() - began;
    await visitor.get('/subscriptions/code');
    const pages = [
      `${first.status} ${first.path}`,
      `${visitor.at} ${visitor.text.replace(/ending in \d\d/, '')}`,
    ];
    return { pages, took };
  }

  slowTest(
    'shows neither in answers nor in their time: they wait for nothing that depends on it',
    async () => {
      const seen = [];
      for (const phone of [PHONE, OTHER_PHONE]) {
        const [halt, calls] = [stopHere(), [] as string[]];
        let isLate = false;
        around = async ({ collection, method, run }) => {
          if (collection !== 'accounts') calls.push(`${method} ${collection}`);
          else
            isLate = await Promise.race([halt.here().then(() => false), sleep(20_000, true, { ref: false })]);
          return run();
        };
        const visitor = farmers.visitor();
        visitor.waits = false;
        await visitor.get(linkTo({ phone }));
        await visitor.submit({});
        const asked = [...calls];
        around = ({ run }) => run();
        halt.goOn();
        await whenAllIsDone();
        seen.push({ at: visitor.at, asked, isLate });
      }
      expect(seen[0]).toMatchObject({ at: '200 /subscriptions/code', isLate: false });
      expect(seen[0]!.asked).not.toEqual([]);
      expect(seen[1]).toEqual(seen[0]);
      expect((await seenOf(PHONE)).pages).toEqual((await seenOf(OTHER_PHONE)).pages);
    },
  );

  slowTest.each<[string, () => Promise<void>, string]>([
    ['works', sent, '200'],
    ['fails', fails, '503'],
    ['fails late', () => sleep(1_000).then(fails), '503'],
    ['does not take its number', refusesNumber, '200'],
  ])('nor where nothing is sent to it, and the provider %s', async (how, outcome, status) => {
    const { codes } = farmers.settings;
    farmers.settings.codes = { ...codes, unlistedPerDay: 0 };
    farmers.sender.outcome = outcome;
    const before = farmers.sender.tried;
    const [listed, withheld] = [await seenOf(PHONE), await seenOf(OTHER_PHONE)]; // what is withheld ends like the last one
    farmers.settings.codes = codes;
    expect(farmers.sender.tried - before).toBe(1);
    expect(listed.pages[1]).toMatch(new RegExp(`^${status} `));
    expect(withheld.pages[1]).toEqual(listed.pages[1]);
    // What fails at once may have failed before the first page is shown, or not: that is chance, and no sign of the phone.
    if (how !== 'fails') expect(withheld.pages[0]).toEqual(listed.pages[0]);
    if (how === 'fails late') expect(withheld.took).toBeGreaterThan(995);
  });
});

test('a provider that may have sent and gives no answer: a phone has three texts all the same, listed or not', async () => {
  const { codes } = farmers.settings;
  farmers.settings.codes = { ...codes, unlistedPerDay: 0 };
  farmers.sender.outcome = async () => {
    throw new NoAnswer('no answer');
  };
  for (const phone of [PHONE, OTHER_PHONE]) {
    await farmers.forgetAttempts();
    const seen = [];
    for (let time = 0; time < 4; time++) {
      const { visitor } = await asked(phone);
      await whenAllIsDone();
      if (visitor.page.status === 200) await visitor.get('/subscriptions/code');
      seen.push(visitor.page.status);
    }
    expect(seen).toEqual([503, 503, 503, 429]);
  }
  farmers.settings.codes = codes;
});

slowTest('the provider says no: a page to try again, which works at once and costs nothing', async () => {
  farmers.sender.outcome = fails;
  let visitor = farmers.visitor();
  for (let attempt = 0; attempt < 5; attempt++) {
    ({ visitor } = await asked());
    await whenAllIsDone();
    await visitor.get('/subscriptions/code');
  }
  expect(visitor.page.status).toBe(503);
  expect(visitor.text).toContain('We could not send you a code');
  expect(visitor.page.html).toContain('href="/subscriptions/phone">Try again');
  farmers.sender.outcome = sent;
  await visitor.get('/subscriptions/phone');
  await visitor.submit({});
  expect(visitor.page.path).toBe('/subscriptions/code');
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

slowTest('a slow provider is not waited for; when it fails later the next page says so', async () => {
  let fail = () => {};
  farmers.sender.outcome = () => new Promise((_, reject) => (fail = () => reject(new Error('late'))));
  const { visitor } = await asked(); // it never answers by itself
  expect(visitor.page.path).toBe('/subscriptions/code');
  fail();
  await eventually(async () => {
    await visitor.get('/subscriptions/code');
    expect(visitor.text).toContain('We could not send you a code');
  });
});

slowTest('a text that fails behind a newer one leaves the newer code as it is', async () => {
  const halt = stopHere();
  farmers.sender.outcome = async () => {
    await halt.here();
    throw new Error('late');
  };
  const visitor = farmers.visitor();
  visitor.waits = false;
  await visitor.get(linkTo());
  await visitor.submit({});
  await halt.reached;
  farmers.sender.outcome = sent;
  const before = farmers.sender.texts.length;
  await age(31_000);
  await visitor.submit({ do: 'resend' });
  await eventually(() => expect(farmers.sender.texts).toHaveLength(before + 1));
  halt.goOn();
  await whenAllIsDone();
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  expect(visitor.at).toBe('200 /subscriptions/accounts');
});

test('another number drops what the first one has proven', async () => {
  const visitor = await farmers.verified();
  await visitor.get('/subscriptions/phone');
  await visitor.submit({ phone: '+1 (701) 555.0199' });
  expect(visitor.page.path).toBe('/subscriptions/code');
  await visitor.get('/subscriptions/accounts');
  expect(visitor.page.path).toBe('/subscriptions/code');
  await visitor.submit({ code: farmers.sender.codeFor(OTHER_PHONE) });
  expect(visitor.text).toContain('We found no account with the number ending in 99');
});

test('neither the code nor the phone can be read in the database', async () => {
  const { code } = await asked();
  for (const name of ['sign_in_codes', 'sessions', 'attempt_counts']) {
    const text = JSON.stringify(await farmers.store.db.collection(name).find().toArray());
    expect(text).not.toContain(PHONE);
    expect(text).not.toContain(`"${code}"`);
  }
  expect(await codes().countDocuments({ farmer: farmerOf(farmers.store, PHONE) })).toBeGreaterThan(0);
});
