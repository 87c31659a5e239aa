import { isFarmersPhone } from '../../api/farmer/is-farmers-phone';
import { postFrom } from './guess';
import { accountsOf, linkTo, PHONE, pushAccounts, startFarmers, type Farmers } from './start-farmers';
import { rowsIn, textOf } from './visitor';

test.each([
  ['701-555-0142', '7015550142'],
  ['a Canadian one', '4165550123'],
])('%s can be a farmer’s', (_, phone) => expect(isFarmersPhone(phone, ['US', 'CA'])).toBe(true));

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
])('%s cannot', (_, phone) => expect(isFarmersPhone(phone, ['US', 'CA'])).toBe(false));

test('another country can be set', () => {
  expect([isFarmersPhone('8765551234', ['JM']), isFarmersPhone(PHONE, ['JM'])]).toEqual([true, false]);
});

describe('on the page', () => {
  let farmers: Farmers;
  beforeAll(async () => {
    farmers = await startFarmers();
    await pushAccounts(farmers, accountsOf(PHONE, 1));
  });
  afterAll(() => farmers.stop());

  test('nothing is sent to a premium number, by text or call, and the farmer can correct it', async () => {
    const visitor = farmers.visitor();
    await visitor.get(linkTo({ phone: '9005550142' }));
    for (const way of ['text', 'call']) {
      await visitor.submit({ do: way });
      expect([visitor.page.status, visitor.page.path]).toEqual([422, '/subscriptions/phone']);
      expect(textOf(visitor.page.html)).toContain('This cannot be a phone number that we can text or call');
    }
    await postFrom(visitor, 'code', { do: 'resend' });
    expect(farmers.sender.tried).toBe(0);
    await visitor.submit({ phone: PHONE });
    expect([visitor.page.path, farmers.sender.tried]).toEqual(['/subscriptions/code', 1]);
  });

  const phonesOf = (phone: string) => [{ id: 'P1', name: 'Odd Farms', phones: [{ phone }] }];
  test.each(['117015550199', '0007015550199', '27015550199', '5550199'])(
    'an account with the number %s is not that of 701-555-0199',
    async (number) => {
      await pushAccounts(farmers, phonesOf(number));
      const visitor = await farmers.verified({ phone: '7015550199' });
      expect(textOf(visitor.page.html)).toContain('We found no accounts for your number');
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
  let farmers: Farmers;
  beforeAll(async () => {
    farmers = await startFarmers();
  });
  afterAll(() => farmers.stop());

  test('shares none; what 25 had granted before stays, and can be stopped', async () => {
    await pushAccounts(farmers, names(25));
    const visitor = await farmers.verified({ phone: NUMBER });
    expect(rowsIn(visitor.page.html)).toHaveLength(25);
    await visitor.submit({ account: ['42-N3'], do: 'continue' });
    await visitor.submit({ do: 'save' });
    await pushAccounts(farmers, [names(26)[25]!], { id: '43', name: 'Valley Grain' });

    const later = await farmers.verified({ phone: NUMBER });
    expect(rowsIn(later.page.html).map(({ id, ticked }) => [id, ticked])).toEqual([['42-N3', true]]);
    expect(textOf(later.page.html)).toContain('More than 25 different names have the number ending in 90');
    await later.submit({ account: ['42-N3', '42-N4'], do: 'continue' });
    expect(textOf(later.page.html)).toContain('You keep sharing 1 account Customer 3');
    await later.get('/subscriptions/accounts');
    await later.submit({ account: [], do: 'continue' });
    await later.submit({ do: 'save' });

    const last = await farmers.verified({ phone: NUMBER });
    expect(rowsIn(last.page.html)).toEqual([]);
    expect(textOf(last.page.html)).toContain('Please call your grain company');
    await last.submit({ language: 'es' });
    expect(textOf(last.page.html)).toContain('Llame a su compañía de granos');
  });
});
