import { first, scaledTest } from '../setup/cases';
import { pastedForms, UNSEEN } from '../setup/pasted';
import {
  accountsOf,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { rowsIn } from './visitor';

// What farmers paste into their pages: docs/contract.md A18.

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers();
  await pushAccounts(farmers, accountsOf(PHONE, 16));
  await pushAccounts(farmers, [
    { id: 'M', name: `Mey${UNSEEN.join('')}er\u00a0North`, phones: [{ phone: PHONE }] },
  ]);
});

const SPELLINGS = [
  '\u202d7015550142\u202c',
  '\u202a(701) 555-0142\u202c',
  '\u2068701-555-0142\u2069',
  '\u200b7015550142',
  '701\u00ad555\u00ad0142',
  '701\u2060555\u20600142',
  '+1-701-555-0142\ufe0e',
  'tel:+17015550142',
  '701/555-0142',
  ...first(0, pastedForms('+1 (701) 555-0142')),
];

scaledTest.each(SPELLINGS)(
  '%j on the first page is the phone, and gets the code, which is pasted too',
  async (typed) => {
    await farmers.forgetAttempts();
    const visitor = farmers.visitor();
    await visitor.get(linkTo({ phone: OTHER_PHONE, partner_id: typed.slice(0, 9) }));
    await visitor.submit({ phone: typed });
    expect(visitor.page.path).toBe('/subscriptions/code');
    const code = farmers.sender.codeFor(PHONE);
    await visitor.submit({
      code: `\u2068 ${code.slice(0, 3)}\u2013${code.slice(3).split('').join('\u200b')}\u00a0\u2069`,
    });
    expect(visitor.page.path).toBe('/subscriptions/accounts');
  },
);

test('what is wrong is shown again as it can be read', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  await visitor.submit({ phone: '\u202d701\u00ad555\u202c' });
  expect([visitor.page.status, visitor.page.html.includes('value="701555"')]).toEqual([422, true]);
});

test('an account is found by a name or number that is pasted, and in spite of marks in the account’s own name', async () => {
  const visitor = await farmers.verified();
  const found = async (search: string) => {
    await visitor.submit({ search, do: 'search' });
    return rowsIn(visitor.page.html).map(({ id }) => id);
  };
  expect(await found('\u200emeyer north\u00a0')).toEqual(['42-M']);
  expect(await found('\uff26arms\u00a0\uff11\u200b\uff16')).toEqual(['42-16']);
});
