import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { otherThan } from './guess';
import { cases, slowTest } from '../setup/cases';
import { holdForm } from '../setup/hold-form';
import {
  accountsOf,
  linkTo,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { csrfOf, textOf, Visitor } from './visitor';

// PHONE is the attacker's own; the accounts are those of OTHER_PHONE.
let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
  await pushAccounts(farmers, accountsOf(OTHER_PHONE, 2));
});
afterAll(() => farmers.stop());
beforeEach(async () => {
  farmers.sender.outcome = async () => {};
  await farmers.forgetAttempts();
});

const codesWereSent = (millisecondsAgo: number) =>
  farmers.store.db
    .collection('sign_in_codes')
    .updateMany({}, { $set: { sent_at: new Date(Date.now() - millisecondsAgo) } });
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

test('a code for one phone does not prove the one that the session was changed to meanwhile', async () => {
  for (const number of [1, 2, 3]) {
    const other = farmers.visitor();
    await other.get(linkTo({ phone: OTHER_PHONE, partner_id: `used-up-${number}` }));
    await other.submit({}); // its three texts: the change below sends none, and the code stays as it is
  }
  const { visitor, csrf, code } = await withCode('held');
  const sendRest = await holdForm(farmers.port, '/subscriptions/code', {
    cookie: visitor.cookie,
    form: { csrf, code },
  });
  expect((await changeTo(visitor, csrf, OTHER_PHONE)).status).toBe(429);
  expect(await sendRest()).toMatch(/^HTTP\/1\.1 403 /);
  await visitor.get('/subscriptions/accounts');
  expect(visitor.page.path).not.toContain('accounts');
});

test('a code for another phone leaves the first one as it is: its tries go on counting', async () => {
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

slowTest('nor when both come at the same time', async () => {
  for (let round = 0; round < cases(4, 10); round++) {
    await farmers.forgetAttempts();
    const { visitor, csrf, code } = await withCode(`race-${round}`);
    await Promise.all([guess(visitor, csrf, code), changeTo(visitor, csrf, OTHER_PHONE)]);
    await visitor.get('/subscriptions/accounts');
    expect(textOf(visitor.page.html)).not.toContain('Meyer Farms');
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

  test('they can be asked for again at once', async () => {
    const { visitor, csrf, codes } = await failing('asked-again');
    for (let round = 0; round < 5; round++) {
      await changeTo(visitor, csrf, OTHER_PHONE);
      await whenAllIsDone();
    }
    expect(codes).toHaveLength(5);
  });
});

slowTest('an address over its limit uses up nobody’s', async () => {
  const bad = from('198.51.100.1');
  await bad.get(linkTo());
  const csrf = csrfOf(bad);
  for (let line = 0; line < 60; line++) await changeTo(bad, csrf, `70155502${String(line).padStart(2, '0')}`);
  for (let time = 0; time < 3; time++) expect((await changeTo(bad, csrf, OTHER_PHONE)).status).toBe(429);
  const farmer = from('203.0.113.9');
  await farmer.get(linkTo({ phone: OTHER_PHONE }));
  await farmer.submit({});
  expect([farmer.page.status, farmer.page.path]).toEqual([200, '/subscriptions/code']);
});

test('a form for nobody knows whom is small, and holds nothing that pushes need', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  const long = new URLSearchParams({ csrf: csrfOf(visitor), phone: '7'.repeat(20_000) });
  expect((await visitor.twin().post('/subscriptions/phone', long)).status).toBe(400);
  const signIn = await fetch(`http://127.0.0.1:${farmers.port}/ops/sign-in`, { method: 'POST', body: long });
  expect(signIn.status).toBe(400);
});
