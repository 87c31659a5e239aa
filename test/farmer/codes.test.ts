import { findFarmerSession, openFarmerSession } from '../../store/access/farmer-sessions';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { guessCode } from '../../api/farmer/guess-code';
import { sendCode } from '../../api/farmer/send-code';
import { addressKey } from '../../api/rate-limit';
import type { Deps } from '../../api/route';
import { readConfig } from '../../config';
import { countAttempt } from '../../store/access/attempt-counts';
import { newSignInCode } from '../../store/access/sign-in-codes';
import { farmerOf } from '../../store/sharing/subscriptions';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { cases, scaledTest, slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { csrfOf, textOf, Visitor } from './visitor';

// Beside PHONE, of which accounts are looked at.
const LISTED = '7015550177';
const GUESSES = cases(40, 200);

let farmers: Farmers;

beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  await pushAccounts(farmers, accountsOf(LISTED, 1, 50));
});
afterAll(() => farmers.stop());
beforeEach(async () => {
  farmers.sender.outcome = async () => {};
  await farmers.forgetAttempts();
});

const codes = () => farmers.store.db.collection('sign_in_codes');
const age = (milliseconds: number) =>
  codes().updateMany({}, { $set: { sent_at: new Date(Date.now() - milliseconds) } });

async function asked(phone = PHONE): Promise<{ visitor: Visitor; code: string }> {
  const visitor = farmers.visitor();
  await visitor.get(linkTo({ phone }));
  await visitor.submit({});
  return { visitor, code: farmers.sender.codeFor(phone) };
}

/** Once it is known that no code could be sent. */
async function askedInVain(phone = PHONE): Promise<Visitor> {
  const { visitor } = await asked(phone);
  await whenAllIsDone();
  await visitor.get('/subscriptions/code');
  return visitor;
}

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

test('blanks and a dash in the code are fine', async () => {
  const { visitor, code } = await asked();
  await visitor.submit({ code: ` ${code.slice(0, 3)}-${code.slice(3)} ` });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

test('what is no code costs no try', async () => {
  const { visitor } = await asked();
  for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５']) {
    await visitor.submit({ code });
    expect([code, visitor.page.status, visitor.page.path]).toEqual([code, 422, '/subscriptions/code']);
    expect(textOf(visitor.page.html)).toContain('Enter the 6 digits of the code');
  }
  expect(await codes().findOne({}, { sort: { sent_at: -1 } })).toMatchObject({ tries: 0 });
});

test('five wrong tries, and the right code no longer opens', async () => {
  const { visitor, code } = await asked();
  for (let attempt = 0; attempt < 5; attempt++) {
    await visitor.submit({ code: other(code) });
    expect(textOf(visitor.page.html)).toContain('That code is not right');
  }
  await visitor.submit({ code });
  expect([visitor.page.status, visitor.page.path]).toEqual([422, '/subscriptions/code']);
  expect(textOf(visitor.page.html)).toContain('That code no longer works');
});

test('a late code does not open', async () => {
  const { visitor, code } = await asked();
  await codes().updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });
  await visitor.submit({ code });
  expect(textOf(visitor.page.html)).toContain('That code no longer works');
});

test('a code opens once, and only the session it was asked for in', async () => {
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
  expect(textOf(later.page.html)).toContain('That code is not right');
});

test('of five right codes at the same time one opens, and none later', async () => {
  const { store } = farmers;
  const token = await openFarmerSession(store, {
    link: { channel: 'acme', partner_id: 'p', display_name: 'd', callback_url: 'https://acme.example/' },
    language: 'en',
    phone: PHONE,
  });
  const session = (await findFarmerSession(store, token))!;
  const { code } = (await newSignInCode(store, session, PHONE, { via: 'text', shown: false }))!;
  const guess = () => guessCode(store, session, code, undefined);
  const tries = Array.from({ length: 5 }, guess);
  expect((await Promise.all(tries)).sort()).toEqual(['over', 'over', 'over', 'over', 'right']);
  expect(await guess()).toBe('over');
});

scaledTest(`${GUESSES} guesses at once: at most 5 are compared`, async () => {
  const { visitor, code } = await asked();
  await visitor.get('/subscriptions/code');
  const guess = () =>
    visitor
      .twin()
      .submit({ code: other(code) })
      .catch(() => ({ html: '', status: 503 })); // a loaded server cuts off some of many connections
  const pages = await Promise.all(Array.from({ length: GUESSES }, guess));
  const wrong = pages.filter(({ html }) => html.includes('That code is not right')).length;
  const over = pages.filter(
    ({ html, status }) => html.includes('That code no longer works') || status === 503,
  ).length;
  expect([wrong <= 5, wrong + over]).toEqual([true, GUESSES]);
  expect(await codes().findOne({ tries: { $gt: 0 } }, { sort: { sent_at: -1 } })).toMatchObject({ tries: 5 });
});

test('two taps with the right code: both go on', async () => {
  const { visitor, code } = await asked();
  await visitor.get('/subscriptions/code');
  const twins = [visitor.twin(), visitor.twin()];
  await Promise.all(twins.map((twin) => twin.submit({ code })));
  expect(twins.map(({ page }) => page.path)).toContain('/subscriptions/accounts');
  await visitor.submit({ code });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

test('a new code takes the place of the old one, after 30 seconds', async () => {
  const { visitor, code } = await asked();
  await visitor.submit({ do: 'resend' });
  expect(textOf(visitor.page.html)).toContain('Wait 30 seconds');
  expect(farmers.sender.codeFor(PHONE)).toBe(code);
  await age(31_000);
  await visitor.submit({ do: 'resend' });
  const next = farmers.sender.codeFor(PHONE);
  expect([visitor.page.status, visitor.page.path, next === code]).toEqual([
    200,
    '/subscriptions/code',
    false,
  ]);
  await visitor.submit({ code });
  expect(textOf(visitor.page.html)).toContain('That code is not right');
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
  const link = { channel: 'acme', partner_id: 'p', display_name: 'd', callback_url: 'https://acme.example/' };
  const token = await openFarmerSession(store, { link, language: 'en', phone: LISTED });
  const session = (await findFarmerSession(store, token))!;
  const from = { via: 'text', address: '203.0.113.7', device: undefined } as const;
  const tap = (seen: Deps['store']) =>
    sendCode({ store: seen, sender, farmer } as unknown as Deps, { session, channel: undefined }, from);
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
  await visitor.submit({ code: other(code) });
  const counts = await farmers.store.db.collection('attempt_counts').find().toArray();
  const minutes = counts.map(({ expire }) => Math.round(((expire as Date).getTime() - Date.now()) / 60_000));
  // The link of its address and channel, the code of its phone, address and channel; the guess of its phone; then the days
  // of the phone, the channel, all, the address and all for numbers that no account lists, and the guesses of the phone.
  expect(minutes.sort((a, b) => a - b)).toEqual([...Array(5).fill(10), 60, ...Array(6).fill(1_440)]);
});

test('a browser in Spanish gets its page, its text and its call in Spanish; the call also where the code is entered', async () => {
  const visitor = new Visitor(farmers.port, { 'accept-language': 'es-MX,es;q=0.9,en;q=0.5' });
  await visitor.get(linkTo({ phone: '7015550166' }));
  expect(visitor.page.html).toContain('<html lang="es">');
  await visitor.submit({});
  expect(farmers.sender.texts.at(-1)?.body).toMatch(/^\d{6} es su codigo de seguridad/);
  await age(31_000);
  await visitor.submit({ do: 'call' });
  expect(visitor.page.path).toBe('/subscriptions/code');
  expect(farmers.sender.calls.at(-1)).toMatchObject({
    language: 'es',
    body: expect.stringContaining('código'),
  });
  expect(textOf(visitor.page.html)).toContain('Estamos llamando');
});

test('what becomes of codes is counted for the alert', async () => {
  const activity = farmers.store.db.collection('code_activity');
  await activity.deleteMany({});
  const { visitor, code } = await asked();
  await visitor.submit({ code: other(code) });
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

test('a phone gets three texts in ten minutes and ten a day, whatever the number of sessions', async () => {
  const before = farmers.sender.texts.length;
  let last = farmers.visitor();
  for (let visit = 0; visit < 5; visit++) last = (await asked(LISTED)).visitor;
  expect(farmers.sender.texts.length - before).toBe(3);
  expect([last.page.status, last.page.path]).toEqual([429, '/subscriptions/phone']);
  expect(Number(last.page.headers['retry-after'])).toBeGreaterThan(500);
  expect(textOf(last.page.html)).toContain('Please try again in 10 minutes');

  const counts = farmers.store.db.collection('attempt_counts');
  for (let day = 0; day < 8; day++) {
    // Ten minutes later: the short window has passed, the long one has not.
    await counts.deleteMany({ expire: { $lt: new Date(Date.now() + 11 * 60_000) } });
    last = (await asked(LISTED)).visitor;
  }
  expect(farmers.sender.texts.length - before).toBe(10);
  expect(textOf(last.page.html)).toMatch(/try again in 2[34] hours/);
});

// What an attacker sees of a phone: two answers, and how long they took.
slowTest('whether a phone has accounts shows neither in answers nor in their time', async () => {
  const pages = new Set<string>();
  // A busy machine may slow one kind more than the other once; what tells, tells each time.
  let apart = await timesApart(pages);
  for (let times = 1; times < 10 && apart.ms >= apart.tolerance; times++) apart = await timesApart(pages);
  expect(pages.size).toBe(1);
  expect(apart.ms).toBeLessThan(apart.tolerance);
});

slowTest.each(['works', 'fails', 'is slow'].slice(0, cases(1, 3)))(
  'nor where nothing is sent to it, and the provider %s',
  async (how) => {
    await farmers.forgetAttempts();
    const { codes } = farmers.settings;
    farmers.settings.codes = { ...codes, unlistedPerDay: 0 };
    farmers.sender.outcome = OUTCOMES[how]!;
    await asked(PHONE); // what is withheld ends like this one
    await whenAllIsDone();
    const before = farmers.sender.tried;
    const pages = new Set<string>();
    let [apart, times] = [await timesApart(pages), 1];
    for (; times < 10 && apart.ms >= apart.tolerance; times++) apart = await timesApart(pages);
    farmers.settings.codes = codes;
    expect(pages.size).toBe(1);
    expect(apart.ms).toBeLessThan(apart.tolerance);
    expect(farmers.sender.tried - before).toBe(12 * times); // of 24 visits each time, those of the listed phone
  },
);

const OUTCOMES: Record<string, () => Promise<void>> = {
  works: async () => {},
  fails: async () => {
    throw new Error('down');
  },
  'is slow': () => sleep(60),
};

/** By how much the middle times of a phone with accounts and one without differ. */
async function timesApart(pages: Set<string>): Promise<{ ms: number; tolerance: number }> {
  const [known, unknown] = [[] as number[], [] as number[]];
  for (let visit = 0; visit < 24; visit++) {
    const [phone, times] = visit % 2 ? [PHONE, known] : [OTHER_PHONE, unknown];
    await farmers.forgetAttempts();
    const visitor = farmers.visitor();
    visitor.waits = false;
    await visitor.get(linkTo({ phone }));
    const started = performance.now();
    const form = new URLSearchParams({ csrf: csrfOf(visitor), phone });
    const answer = await visitor.twin().post('/subscriptions/phone', form);
    times.push(performance.now() - started);
    await whenAllIsDone();
    const later = await visitor.get('/subscriptions/code');
    pages.add(`${answer.path} ${later.status} ${textOf(later.html).replace(/ending in \d\d/, '')}`);
  }
  const median = (times: number[]) => times.sort((a, b) => a - b)[times.length / 2] as number;
  // What looking up accounts would cost is more than this; a busy machine makes both slower.
  return { ms: Math.abs(median(known) - median(unknown)), tolerance: 10 + 0.2 * median(unknown) };
}

test('the provider says no: a page to try again, which works at once and costs nothing', async () => {
  farmers.sender.outcome = async () => {
    throw new Error('down');
  };
  let visitor = farmers.visitor();
  for (let attempt = 0; attempt < 5; attempt++) visitor = await askedInVain();
  expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([
    503,
    expect.stringContaining('We could not send you a code'),
  ]);
  expect(visitor.page.html).toContain('href="/subscriptions/phone">Try again');
  farmers.sender.outcome = async () => {};
  await visitor.get('/subscriptions/phone');
  await visitor.submit({});
  expect(visitor.page.path).toBe('/subscriptions/code');
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

test('a slow provider is not waited for; when it fails later the next page says so', async () => {
  let fail = () => {};
  farmers.sender.outcome = () => new Promise((_, reject) => (fail = () => reject(new Error('late'))));
  const started = performance.now();
  const { visitor } = await asked();
  expect(performance.now() - started).toBeLessThan(20_000); // it never answers by itself
  expect(visitor.page.path).toBe('/subscriptions/code');
  fail();
  await eventually(async () => {
    const { html } = await visitor.get('/subscriptions/code');
    expect(textOf(html)).toContain('We could not send you a code');
  });
});

test('a text that fails behind a newer one leaves the newer code as it is', async () => {
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
  farmers.sender.outcome = async () => {};
  const before = farmers.sender.texts.length;
  await age(31_000);
  await visitor.submit({ do: 'resend' });
  await eventually(() => expect(farmers.sender.texts).toHaveLength(before + 1));
  halt.goOn();
  await whenAllIsDone();
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  expect([visitor.page.status, visitor.page.path]).toEqual([200, '/subscriptions/accounts']);
});

describe('budgets', () => {
  const { codes: usual } = readConfig({});
  afterEach(() => {
    farmers.settings.codes = usual;
  });
  const fail = async () => {
    throw new Error('down');
  };

  test('texts that fail, and made-up numbers, use up nothing of the day of all', async () => {
    farmers.settings.codes = { ...usual, perDay: 2, unlistedPerDay: 0 };
    farmers.sender.outcome = fail;
    for (let time = 0; time < 2; time++) await asked(PHONE);
    farmers.sender.outcome = async () => {};
    for (let time = 0; time < 2; time++) await asked(OTHER_PHONE);
    const { visitor } = await asked(LISTED);
    expect([visitor.page.status, visitor.page.path]).toEqual([200, '/subscriptions/code']);
  });

  test('an address goes on counting while the provider is down, so that it is not asked without end', async () => {
    const ofAddress = { limit: 60, windowMs: 600_000 };
    await countAttempt(farmers.store, `code/address/${addressKey('127.0.0.1')}`, ofAddress, 59);
    farmers.sender.outcome = fail;
    expect((await askedInVain()).page.status).toBe(503);
    expect((await asked(PHONE)).visitor.page.status).toBe(429);
  });

  test('an address has codes sent to ten made-up numbers a day, which use up nobody else’s', async () => {
    const ofAddress = { limit: 10, windowMs: 86_400_000 };
    await countAttempt(farmers.store, `code/unlisted/${addressKey('127.0.0.1')}`, ofAddress, 9);
    const before = farmers.sender.tried;
    for (const phone of [OTHER_PHONE, '7015550197', '7015550196', LISTED]) await asked(phone);
    expect(farmers.sender.tried - before).toBe(2); // the tenth of them, and the farmer’s
    farmers.settings.codes = { ...usual, unlistedPerDay: 2 };
    await farmers.store.db.collection('attempt_counts').deleteOne({ points: { $gte: 10 } });
    await asked('7015550195');
    expect(farmers.sender.tried - before).toBe(3);
  });

  test('while texts fail, a made-up number that gets none sees the same', async () => {
    farmers.settings.codes = { ...usual, unlistedPerDay: 0 };
    farmers.sender.outcome = fail;
    const { page } = await askedInVain();
    const before = farmers.sender.tried;
    const madeUp = (await askedInVain(OTHER_PHONE)).page;
    expect([page.status, madeUp.status, farmers.sender.tried]).toEqual([503, 503, before]);
  });

  test('a customer’s links send 1,000 codes in ten minutes, and another customer has its own', async () => {
    await addFarmersChannel(farmers, 'lender');
    const ofChannel = { limit: 1_000, windowMs: 600_000 };
    await countAttempt(farmers.store, 'code/channel/acme', ofChannel, 999);
    expect((await asked(PHONE)).visitor.page.status).toBe(200);
    expect((await asked(LISTED)).visitor.page.status).toBe(429);
    const visitor = farmers.visitor();
    for (let time = 0; time < 2; time++) {
      await visitor.get(linkTo({ phone: LISTED, partner_slug: 'lender' }));
      await visitor.submit({});
    }
    expect([visitor.page.status, visitor.page.path]).toEqual([200, '/subscriptions/code']);
  });

  test('each customer has a day of its own', async () => {
    await addFarmersChannel(farmers, 'bank');
    farmers.settings.codes = { ...usual, perChannelDay: 1 };
    await asked(PHONE);
    expect((await asked(LISTED)).visitor.page.status).toBe(429);
    const visitor = farmers.visitor();
    await visitor.get(linkTo({ phone: LISTED, partner_slug: 'bank' }));
    await visitor.submit({});
    expect([visitor.page.status, visitor.page.path]).toEqual([200, '/subscriptions/code']);
  });
});

test('another number drops what the first one has proven', async () => {
  const visitor = await farmers.verified();
  await visitor.get('/subscriptions/phone');
  await visitor.submit({ phone: '+1 (701) 555.0199' });
  expect(visitor.page.path).toBe('/subscriptions/code');
  await visitor.get('/subscriptions/accounts');
  expect(visitor.page.path).toBe('/subscriptions/code');
  await visitor.submit({ code: farmers.sender.codeFor(OTHER_PHONE) });
  expect(textOf(visitor.page.html)).toContain(
    'None of the grain companies has an account with the number ending in 99',
  );
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
