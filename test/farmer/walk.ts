import type { Page } from 'playwright-core';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { press, pressMain } from '../../tools/demo/browser/press';
import { addTestChannel } from '../setup/add-test-channel';
import { accountsOf, addFarmersChannel, linkTo, PHONE, pushAccounts, type Farmers } from './start-farmers';

export const MANY_PHONE = '7015550200';
const EVERYBODYS_PHONE = '7015550222';
const NOBODYS_PHONE = '7015550111';

const PURPOSE = {
  en: 'To work out your crop insurance claim. To check the bushels you report.',
  es: 'Para calcular su reclamo del seguro de cosecha. Para revisar los bushels que usted reporta.',
};

/** The accounts that a walk meets: three of two companies, and 200 of one phone. */
export async function prepareWalk(farmers: Farmers): Promise<void> {
  await farmers.store.db
    .collection<{ _id: string }>('channels')
    .updateOne({ _id: 'acme' }, { $set: { contact: '1-800-555-0100', purpose: PURPOSE, passes_on: [] } });
  await pushAccounts(farmers, [
    { id: '1001', name: 'Meyer Farms', phones: [{ phone: PHONE }] },
    { id: '1002', name: 'Meyer Farms – north quarter', phones: [{ phone: PHONE }] },
  ]);
  await pushAccounts(farmers, [{ id: '77', name: 'Dale & Ruth Meyer', phones: [{ phone: PHONE }] }], {
    id: '43',
    name: 'Valley Grain Elevator',
  });
  await pushAccounts(farmers, accountsOf(MANY_PHONE, 200, 2000));
  const names = Array.from({ length: 26 }, (_, index) => `Customer ${index}`);
  const everybodys = names.map((name, index) => ({
    id: `E${index}`,
    name,
    phones: [{ phone: EVERYBODYS_PHONE }],
  }));
  await pushAccounts(farmers, everybodys);
  const analyst = { name: 'Co-op Analytics', companies: ['42'] };
  await addTestChannel(farmers.store, 'analyst', 'https://analyst.example', analyst);
  await addFarmersChannel(farmers, 'bank', { name: 'Prairie Bank' });
}

/** Looks at a page that the farmer has come to. */
export type Look = (state: string) => Promise<void>;

/** The way through the page, with every error on it. */
export async function walkFarmerPages(
  page: Page,
  farmers: Farmers,
  partner_id: string,
  look: Look,
): Promise<void> {
  await farmers.forgetAttempts();
  const next = () => pressMain(page);
  await page.goto(linkTo({ partner_id }));
  await look('1-phone');
  await page.fill('#phone', '701 555');
  await next();
  await look('1-phone-error');
  await page.fill('#phone', '900 555 0142');
  await next();
  await look('1-phone-impossible-error');
  await page.fill('#phone', '+1 (701) 555-0142');
  await next();
  await look('2-code');
  const code = await farmers.sender.codeSent(PHONE);
  await page.fill('#code', code === '000000' ? '000001' : '000000');
  await next();
  await look('2-code-error');
  await page.fill('#code', code);
  await next();
  await look('3-accounts');
  await next();
  await look('3-accounts-error');
  await page.check('input[value="42-1001"]');
  await next();
  await look('4-check');
  await next();
  await look('5-done');
  await press(page, 'a[href="/subscriptions/done?receipt"]');
  await look('5-done-receipt');
  await press(page, 'a[href="/subscriptions/done?stay"]');
  await press(page, 'a[href="/subscriptions/accounts"]');
  await page.uncheck('input[value="42-1001"]');
  await next();
  await look('4-check-stop');
  await next();
  await look('5-done-stopped');
  await page.goto('/subscriptions/cancelled');
  await look('6-cancelled');
}

/** The pages beside the way. */
export async function walkBeside(page: Page, farmers: Farmers, look: Look): Promise<void> {
  await farmers.forgetAttempts();
  const next = () => pressMain(page);
  await page.context().clearCookies();
  await page.goto(linkTo({ callback_url: 'https://evil.example/', phone: '701' }));
  await look('0-broken-link');
  await page.goto('/subscriptions/phone/');
  await look('0-page-astray');
  await page.goto('/subscriptions/code');
  await look('7-visit-over');

  farmers.sender.outcome = async () => {
    throw new Error('down');
  };
  await page.goto(linkTo({ phone: NOBODYS_PHONE }));
  await next();
  await whenAllIsDone();
  await page.goto('/subscriptions/code');
  farmers.sender.outcome = async () => {};
  await look('7-text-not-sent');
  await press(page, 'section:first-of-type a');
  await next();
  await page.fill('#code', await farmers.sender.codeSent(NOBODYS_PHONE));
  await next();
  await look('3-accounts-none');
  await page.goto(linkTo({ phone: EVERYBODYS_PHONE, partner_id: 'everybody' }));
  await press(page, 'button[value=call]');
  await look('2-code-call');
  await page.fill('#code', await farmers.sender.codeSent(EVERYBODYS_PHONE));
  await next();
  await look('3-accounts-crowded');

  await page.goto(linkTo({ phone: MANY_PHONE, partner_id: 'many' }));
  await next();
  await page.fill('#code', await farmers.sender.codeSent(MANY_PHONE));
  await next();
  await look('3-accounts-200');
  await page.fill('#search', 'nobody');
  await press(page, 'button[value=search]');
  await look('3-accounts-no-match');
  await press(page, 'button[value=show-all]');
  await press(page, 'button[value=tick]');
  await next();
  await look('4-check-200');
  await walkRare(page, farmers, look);
  await walkSharing(page, farmers, look);
}

/** "Who sees my grain data", from its address to one customer less. */
async function walkSharing(page: Page, farmers: Farmers, look: Look): Promise<void> {
  await farmers.forgetAttempts();
  await page.context().clearCookies();
  const { store } = farmers;
  const next = () => pressMain(page);
  await page.goto(linkTo({ partner_slug: 'bank', partner_id: 'loan-7' }));
  await next();
  await page.fill('#code', await farmers.sender.codeSent(PHONE));
  await next();
  for (const id of ['42-1001', '42-1002', '43-77']) await page.check(`input[value="${id}"]`);
  await next();
  await next();
  const sent = { at: new Date('2026-11-21T15:04:00Z'), delivery: 'delivery/bank/tickets/1' };
  await store.db.collection('subscriptions').updateMany({ account: '42-1001' }, { $set: { sent } });
  await press(page, 'form.sign-out button');
  await farmers.forgetAttempts();
  await page.goto('/sharing');
  await look('8-sharing-phone');
  await page.fill('#phone', PHONE);
  await next();
  await look('8-sharing-code');
  await page.fill('#code', await farmers.sender.codeSent(PHONE));
  await next();
  await look('8-sharing');
  await press(page, 'button[name=copy][value=bank]');
  await look('8-sharing-copy');
  await press(page, 'main a.plain');
  await press(page, 'a[href="/sharing/customers?stop=bank"]');
  await look('8-sharing-stop');
  await press(page, 'button[name=stop][value=bank]');
  await look('8-sharing-stopped');
}

/** What a farmer sees only when something else happens at the same time. */
async function walkRare(page: Page, farmers: Farmers, look: Look): Promise<void> {
  const next = () => pressMain(page);
  const sessions = farmers.store.db.collection('sessions');
  const latest = { sort: { expires_at: -1 } } as const;
  const changeSession = (changes: object) => sessions.findOneAndUpdate({}, { $set: changes }, latest);
  await page.goto('/subscriptions/accounts');
  await press(page, 'button[value=untick]');
  await page.check('#account');
  await next();
  await changeSession({ 'check.form': 'of another window' });
  await next();
  await look('4-check-stale-error');
  await changeSession({ saving: { form: '', at: new Date() }, saved: null, check: null });
  await page.goto('/subscriptions/done');
  await look('5-saving');

  farmers.sender.showsCodes = true;
  for (let visit = 1; visit <= 4; visit++) {
    await page.goto(linkTo({ phone: NOBODYS_PHONE }));
    await next();
    if (visit === 1) await look('2-code-shown');
  }
  farmers.sender.showsCodes = false;
  await look('7-too-many-codes');
}
