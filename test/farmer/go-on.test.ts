import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { press } from '../../tools/demo/browser/press';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { openPage, SMALL } from './open-page';
import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { textOf, type Visitor } from './visitor';
import { slowTest } from '../setup/cases';

const DONE = '/subscriptions/done';
const STAYING = '/subscriptions/done?stay';
const LEAVE = '/subscriptions/leave';

let farmers: Farmers;
beforeAll(async () => {
  farmers = await startFarmers({ farmer: { goOnAfterS: 20 } });
  await pushAccounts(farmers, accountsOf(PHONE, 2));
});
afterAll(() => farmers.stop());
beforeEach(() => farmers.forgetAttempts());

async function saved(partner_id: string): Promise<Visitor> {
  const visitor = await farmers.verified({ partner_id });
  await visitor.submit({ account: ['42-1'] });
  await visitor.submit({ do: 'save' });
  expect(visitor.page.path).toBe(DONE);
  return visitor;
}

const refreshOf = ({ page }: Visitor) => page.headers['refresh'];
const leave = ({ cookie }: Visitor) =>
  farmers.ask('GET', LEAVE, { headers: cookie === undefined ? {} : { cookie } });

test('after saving the page goes on by itself after 20 seconds, and says so', async () => {
  const visitor = await saved('goes-on');
  expect(refreshOf(visitor)).toBe(`20; url=${LEAVE}`);
  expect(textOf(visitor.page.html)).toContain('This page takes you on to Acme Crop Insurance in 20 seconds.');
  await visitor.submit({ language: 'es' });
  expect(refreshOf(visitor)).toBe(`20; url=${LEAVE}`);
  expect(textOf(visitor.page.html)).toContain('Esta página le lleva a Acme Crop Insurance en 20 segundos.');
});

test('when nothing has changed, too', async () => {
  const visitor = await saved('unchanged');
  await visitor.get('/subscriptions/accounts');
  await visitor.submit({ account: ['42-1'] });
  await visitor.submit({ do: 'save' });
  expect([visitor.page.path, refreshOf(visitor)]).toEqual([DONE, `20; url=${LEAVE}`]);
  expect((await leave(visitor)).headers['location']).toBe(
    'https://acme.example/back?case=7&status=unchanged&partner_id=unchanged',
  );
});

test('who stays, stays: in either language, and behind the receipt', async () => {
  const visitor = await saved('stays');
  expect(visitor.page.html).toContain(`href="${STAYING}"`);
  const stays = () => {
    expect([visitor.page.path, visitor.page.status, refreshOf(visitor)]).toEqual([STAYING, 200, undefined]);
    expect(visitor.page.html).not.toMatch(/20 se[cg]/);
    expect(visitor.page.html).toContain(`href="${LEAVE}"`);
  };
  await visitor.get(STAYING);
  stays();
  await visitor.submit({ language: 'es' });
  stays();
  await visitor.get(`${DONE}?receipt`);
  expect([visitor.page.status, refreshOf(visitor)]).toEqual([200, undefined]);
  expect(visitor.page.html).toContain(`href="${STAYING}"`);
});

test('the way out leads to the address of the link, and nowhere before something was saved', async () => {
  expect((await leave(await saved('leaves'))).headers['location']).toBe(
    'https://acme.example/back?case=7&status=saved&partner_id=leaves',
  );
  const fresh = farmers.visitor();
  expect((await leave(fresh)).status).toBe(403);
  await fresh.get(linkTo());
  expect((await leave(fresh)).headers['location']).toBe('/subscriptions/code');
  const choosing = await farmers.verified({ partner_id: 'choosing' });
  const { status, headers } = await leave(choosing);
  expect([status, headers['location'], headers['cache-control']]).toEqual([303, DONE, 'no-store']);
});

slowTest.each([true, false])('a browser follows, with JavaScript: %s', async (javaScriptEnabled) => {
  const customer = createServer((_, response) => response.end('<title>Back at Acme</title>'));
  customer.listen(0, '127.0.0.1');
  await once(customer, 'listening');
  const origin = `http://127.0.0.1:${(customer.address() as AddressInfo).port}`;
  const impatient = await startFarmers({ farmer: { goOnAfterS: 1 } });
  await addFarmersChannel(impatient, 'near', { callback_origins: [origin] });
  await pushAccounts(impatient, accountsOf(PHONE, 1));
  const browser = await startBrowser();
  const { page, complaints } = await openPage(browser, impatient, { viewport: SMALL, javaScriptEnabled });
  const next = () => press(page, '.buttons > .main');
  await page.goto(linkTo({ partner_slug: 'near', callback_url: `${origin}/back?case=7` }));
  await next();
  await page.fill('#code', await impatient.sender.codeSent(PHONE));
  await next();
  await page.check('input[value="42-1"]');
  await next();
  const arrived = once(customer, 'request');
  await next();
  const [{ url, headers }] = (await arrived) as [IncomingMessage];
  expect([url, headers.referer]).toEqual(['/back?case=7&status=saved&partner_id=policy-1', undefined]);
  await page.waitForURL(`${origin}/**`);
  expect([await page.title(), complaints]).toEqual(['Back at Acme', []]);
  await browser.close();
  await impatient.stop();
  customer.closeAllConnections();
  customer.close();
});
