import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { addressKey } from '../../api/limits/rate-limit';
import { readConfig } from '../../config';
import { countAttempt } from '../../store/codes/attempt-counts';
import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
  OTHER_PHONE,
  fails,
  sent,
} from './start-farmers';
import { whosePhone } from '../../api/farmer/phone-number';
import { postFrom } from './guess';
import { rowsIn } from './visitor';
import { slowTest } from '../setup/cases';

// Beside PHONE, of which accounts are looked at.
const LISTED = '7015550177';

let farmers: Farmers;

describe('visits', () => {
  beforeAll(async () => {
    farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
    await addFarmersChannel(farmers, 'other');
    await pushAccounts(farmers, accountsOf(PHONE, 1));
  });
  beforeEach(async () => {
    for (const name of ['sessions', 'attempt_counts']) await farmers.store.db.collection(name).deleteMany({});
  });

  const stored = (name: string) => farmers.store.db.collection(name).countDocuments();
  const open = (link: string, address = '203.0.113.9') =>
    farmers.ask('GET', link, { headers: { 'x-forwarded-for': address } });

  /** As if so many links had been opened already. */
  async function opened(count: number): Promise<void> {
    expect((await open(linkTo())).status).toBe(303);
    await farmers.store.db.collection('attempt_counts').updateMany({}, { $set: { points: count } });
  }

  test('a link that does not work leaves nothing behind', async () => {
    for (const link of [linkTo({ phone: 'x' }), linkTo({ partner_slug: 'nobody' }), '/subscriptions'])
      expect([link, (await open(link)).status]).toEqual([link, 400]);
    expect([await stored('sessions'), await stored('attempt_counts')]).toEqual([0, 0]);
  });

  test('nor does a cookie that opens nothing', async () => {
    for (const path of ['/subscriptions/code', '/subscriptions/leave', '/subscriptions/accounts'])
      await farmers.ask('GET', path, { headers: { cookie: `gdx=${'a'.repeat(43)}` } });
    expect([await stored('sessions'), await stored('attempt_counts')]).toEqual([0, 0]);
  });

  describe('links that work', () => {
    test('600 of one address open a session in ten minutes, and no more', async () => {
      await opened(600);
      const before = await stored('sessions');
      const answer = await open(linkTo());
      expect([answer.status, Number(answer.headers['retry-after'])]).toEqual([429, expect.closeTo(600, -1)]);
      expect(await stored('sessions')).toBe(before);
      const counts = await farmers.store.db.collection('attempt_counts').find().toArray();
      expect(counts.map(({ points }) => points as number).sort()).toEqual([600, 601]); // the channel's stays
      expect((await open(linkTo(), '203.0.113.10')).status).toBe(303);
    });

    test('and as many without a link, to see who gets one’s data', async () => {
      expect((await open('/sharing')).status).toBe(303);
      await farmers.store.db.collection('attempt_counts').updateMany({}, { $set: { points: 600 } });
      const before = await stored('sessions');
      expect((await open('/sharing')).status).toBe(429);
      expect(await stored('sessions')).toBe(before);
      expect((await open('/sharing', '203.0.113.10')).status).toBe(303);
    });

    test('of the address that the proxy has seen, whatever the caller writes before it', async () => {
      await opened(600);
      expect((await open(linkTo(), '203.0.113.10, 203.0.113.9')).status).toBe(429);
    });

    test('10,000 of one channel, and another channel has its own', async () => {
      await opened(10_000);
      expect((await open(linkTo(), '203.0.113.11')).status).toBe(429);
      expect((await open(linkTo({ partner_slug: 'other' }), '203.0.113.12')).status).toBe(303);
    });
  });
});

describe('farmers’ phones', () => {
  test.each([
    ['701-555-0142', '7015550142'],
    ['a Canadian one', '4165550123'],
  ])('%s can be a farmer’s', (_, phone) => expect(whosePhone(phone, ['US', 'CA'])).toBe('a farmer’s'));

  test.each([
    ['premium', '9005550142'],
    ['toll-free', '8005550142'],
    ['a personal number', '5005550142'],
    ['an area code that is not in use', '2115550142'],
    ['an area code that begins with 1', '1015550142'],
    ['an exchange that begins with 1', '7011550142'],
    ['an exchange that begins with 0', '7010550142'],
    ['directory assistance as exchange', '7014115555'],
    ['911 as exchange', '7019115555'],
    ['Jamaica', '8765551234'],
    ['the Dominican Republic', '8095551234'],
  ])('%s cannot', (_, phone) => expect(whosePhone(phone, ['US', 'CA'])).toBe('nobody’s'));

  test('another country can be set', () => {
    expect(whosePhone('8765551234', ['JM'])).toBe('a farmer’s');
    expect(whosePhone(PHONE, ['JM'])).toBe('nobody’s');
  });

  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(PHONE, 1));
  });

  describe('on the page', () => {
    slowTest(
      'nothing is sent to a premium number, by text or call, and the farmer can correct it',
      async () => {
        const visitor = farmers.visitor();
        await visitor.get(linkTo({ phone: '9005550142' }));
        for (const way of ['text', 'call']) {
          await visitor.submit({ do: way });
          expect(visitor.at).toBe('422 /subscriptions/phone');
          expect(visitor.text).toContain('We cannot text or call this number');
        }
        await postFrom(visitor, 'code', { do: 'resend' });
        expect(farmers.sender.tried).toBe(0);
        await visitor.submit({ phone: PHONE });
        expect([visitor.page.path, farmers.sender.tried]).toEqual(['/subscriptions/code', 1]);
      },
    );

    test.each(['9245550142', '8615550142', '4365550142'])(
      'an account in the new area of %s gets its code; without one the page says the same, and nothing is sent',
      async (phone) => {
        await farmers.forgetAttempts();
        const before = farmers.sender.tried;
        const stranger = await farmers.asked(phone);
        expect([stranger.visitor.at, farmers.sender.tried - before]).toEqual(['200 /subscriptions/code', 0]);
        await pushAccounts(farmers, [{ id: phone, name: 'New Area Farms', phones: [{ phone }] }]);
        const { visitor, code } = await farmers.asked(phone);
        await visitor.submit({ code });
        expect(visitor.at).toBe('200 /subscriptions/accounts');
        expect(visitor.text).toContain('New Area Farms');
      },
    );

    const phonesOf = (phone: string) => [{ id: 'P1', name: 'Odd Farms', phones: [{ phone }] }];
    test.each(['117015550199', '0007015550199', '27015550199', '5550199'])(
      'an account with the number %s is not that of 701-555-0199',
      async (number) => {
        await pushAccounts(farmers, phonesOf(number));
        const visitor = await farmers.verified({ phone: '7015550199' });
        expect(visitor.text).toContain('We found no accounts for your number');
      },
    );

    test('one with the number 17015550199 is', async () => {
      await pushAccounts(farmers, phonesOf('17015550199'));
      const visitor = await farmers.verified({ phone: '7015550199' });
      expect(rowsIn(visitor.page.html)).toHaveLength(1);
    });
  });

  describe('a number that 26 names have', () => {
    const NUMBER = '7015550190';
    const names = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        id: `N${index}`,
        name: `Customer ${index}`,
        phones: [{ phone: NUMBER }],
      }));

    slowTest('shares none; what 25 had granted before stays, and can be stopped', async () => {
      await pushAccounts(farmers, names(25));
      const visitor = await farmers.verified({ phone: NUMBER });
      expect(rowsIn(visitor.page.html)).toHaveLength(25);
      await visitor.save({ account: ['42-N3'], do: 'continue' });
      await pushAccounts(farmers, names(26).slice(25));

      const later = await farmers.verified({ phone: NUMBER });
      expect(rowsIn(later.page.html).map(({ id, ticked }) => [id, ticked])).toEqual([['42-N3', true]]);
      expect(later.text).toContain('More than 25 different names have the number ending in 90');
      await later.submit({ account: ['42-N3', '42-N4'], do: 'continue' });
      expect(later.text).toContain('You keep sharing 1 account Customer 3');
      await later.get('/subscriptions/accounts');
      await later.save({ account: [], do: 'continue' });

      const last = await farmers.verified({ phone: NUMBER });
      expect(rowsIn(last.page.html)).toEqual([]);
      expect(last.text).toContain('Please call your grain company');
      await last.submit({ language: 'es' });
      expect(last.text).toContain('Llame a su compañía de granos');
    });
  });
});

describe('budgets', () => {
  const { codes: usual } = readConfig({});
  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(PHONE, 2));
    await pushAccounts(farmers, accountsOf(LISTED, 1, 50));
  });
  beforeEach(async () => {
    farmers.sender.outcome = sent;
    farmers.settings.codes = usual;
    await farmers.forgetAttempts();
  });
  const asked = async (phone: string, slug?: string) => (await farmers.asked(phone, slug)).visitor;

  slowTest('texts that fail, and made-up numbers, use up nothing of the day of all', async () => {
    farmers.settings.codes = { ...usual, perDay: 2, unlistedPerDay: 0 };
    farmers.sender.outcome = fails;
    for (let time = 0; time < 2; time++) await asked(PHONE);
    farmers.sender.outcome = sent;
    for (let time = 0; time < 2; time++) await asked(OTHER_PHONE);
    expect((await asked(LISTED)).at).toBe('200 /subscriptions/code');
  });

  test('an address goes on counting while the provider is down, so that it is not asked without end', async () => {
    const ofAddress = { limit: 60, windowMs: 600_000 };
    await countAttempt(farmers.store, `code/address/open/${addressKey('127.0.0.1')}`, ofAddress, 59);
    farmers.sender.outcome = fails;
    const visitor = await asked(PHONE);
    await whenAllIsDone();
    await visitor.get('/subscriptions/code');
    expect(visitor.page.status).toBe(503);
    expect((await asked(PHONE)).page.status).toBe(429);
  });

  slowTest('an address has codes sent to ten made-up numbers a day, which use up nobody else’s', async () => {
    const ofAddress = { limit: 10, windowMs: 86_400_000 };
    await countAttempt(farmers.store, `code/unlisted/open/${addressKey('127.0.0.1')}`, ofAddress, 9);
    const before = farmers.sender.tried;
    for (const phone of [OTHER_PHONE, '7015550197', '7015550196', LISTED]) await asked(phone);
    expect(farmers.sender.tried - before).toBe(2); // the tenth of them, and the farmer’s
    farmers.settings.codes = { ...usual, unlistedPerDay: 2 };
    await farmers.store.db.collection('attempt_counts').deleteOne({ points: { $gte: 10 } });
    await asked('7015550195');
    expect(farmers.sender.tried - before).toBe(3);
  });

  slowTest(
    'a customer’s links send 1,000 codes in ten minutes, and another customer has its own',
    async () => {
      await addFarmersChannel(farmers, 'lender');
      const ofChannel = { limit: 1_000, windowMs: 600_000 };
      await countAttempt(farmers.store, 'code/channel/acme', ofChannel, 999);
      expect((await asked(PHONE)).page.status).toBe(200);
      expect((await asked(LISTED)).page.status).toBe(429);
      for (let time = 0; time < 2; time++)
        expect((await asked(LISTED, 'lender')).at).toBe('200 /subscriptions/code');
    },
  );

  slowTest('each customer has a day of its own', async () => {
    await addFarmersChannel(farmers, 'bank');
    farmers.settings.codes = { ...usual, perChannelDay: 1 };
    await asked(PHONE);
    expect((await asked(LISTED)).page.status).toBe(429);
    expect((await asked(LISTED, 'bank')).at).toBe('200 /subscriptions/code');
  });
});
