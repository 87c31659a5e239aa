import type { Browser, Page } from 'playwright-core';
import { ROUTES } from '../../api/routes';
import { press, pressMain } from '../../tools/demo/browser/press';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { walkCustomer } from '../customer-page/walk-customer';
import { linkTo, PHONE, startFarmers, type Farmers } from '../farmer/start-farmers';
import { prepareWalk, walkBeside, walkFarmerPages } from '../farmer/walk';
import { startOps, type Ops } from '../ops/start-ops';
import { walkOps } from '../ops/walk-ops';
import { nightlyTest } from '../setup/cases';

let browser: Browser;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser?.close());

const look = async () => {};

/** The addresses of the forms that begin so, as in the table of routes, which every new form enters. */
const formsOf = (people: string) =>
  ROUTES.filter(({ method, path }) => method === 'POST' && new RegExp(`^/(${people})(/|$)`).test(path)).map(
    ({ path }) => path,
  );

/** Walks in a tab of its own, then goes Back through all of it and Forward again. @returns the forms that were posted */
async function walked(port: number, walk: (page: Page) => Promise<void>): Promise<string[]> {
  const context = await browser.newContext({ baseURL: `http://127.0.0.1:${port}`, locale: 'en-US' });
  const page = await context.newPage();
  const posted: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST')
      posted.push(pathname.replace(/^(\/ops\/channels)\/[^/]+/, '$1/:channel_slug'));
  });
  await walk(page);
  const before = [...posted];
  const entries = await page.evaluate(() => history.length);
  expect(entries).toBeGreaterThan(3);
  for (const way of [-1, 1])
    for (let entry = 1; entry < entries; entry++) {
      const moved = page.waitForEvent('framenavigated'); // a part of a page is an entry too, and loads nothing
      await page.evaluate((by) => void setTimeout(() => history.go(by)), way);
      await moved;
      await page.waitForLoadState();
      if (page.url() !== 'about:blank') expect(await page.locator('h1').count()).toBe(1);
    }
  expect(posted).toEqual(before);
  await context.close();
  return before;
}

/** Each walk is of a farmer who has not been there yet. */
const FARMERS_WALKS: ((page: Page, farmers: Farmers) => Promise<void>)[] = [
  (page, farmers) => walkFarmerPages(page, farmers, 'back', look),
  (page, farmers) => walkBeside(page, farmers, look),
  async (page, farmers) => {
    await farmers.forgetAttempts();
    await page.goto(linkTo({ partner_id: 'done' }));
    await pressMain(page);
    await page.fill('#code', await farmers.sender.codeSent(PHONE));
    await pressMain(page);
    await page.check('#account');
    await pressMain(page);
    await pressMain(page);
    await press(page, 'header button[name=language]');
    await page.goto('/subscriptions/cancelled');
    await press(page, 'header button[name=language]');
    await page.goto('/subscriptions/accounts');
    await press(page, 'form.sign-out button');
    await page.goto('/sharing');
    await page.fill('#phone', PHONE);
    await pressMain(page);
    await page.fill('#code', await farmers.sender.codeSent(PHONE));
    await pressMain(page);
    await press(page, 'button[name=copy]');
    await pressMain(page);
    await press(page, 'button[name=language]');
    await press(page, 'form.sign-out button');
  },
];

test('after pages of a farmer, Back and Forward lead to pages and post nothing', async () => {
  const farmers = await startFarmers();
  await prepareWalk(farmers);
  await walked(farmers.port, (page) => FARMERS_WALKS.at(-1)!(page, farmers));
});

nightlyTest('nor do they after whatever form of a farmer', async () => {
  const farmers = await startFarmers();
  await prepareWalk(farmers);
  const posted: string[] = [];
  for (const walk of FARMERS_WALKS)
    posted.push(...(await walked(farmers.port, (page) => walk(page, farmers))));
  expect(formsOf('subscriptions|sharing').filter((form) => !posted.includes(form))).toEqual([]);
});

nightlyTest('nor do they after those of operators and customers', async () => {
  const act = async (page: Page, verb: string, fields: Record<string, string>) => {
    const form = page.locator('details', { has: page.locator(`form[action$="/${verb}"]`) });
    await form.locator('summary').click();
    for (const [name, value] of Object.entries(fields)) await form.locator(`[name=${name}]`).fill(value);
    await form.getByRole('button').click();
  };
  const walks = {
    async ops(page: Page, ops: Ops) {
      await walkOps(page, ops, look);
      await page.goto('/ops/sign-in');
      await page.getByLabel('Operator’s token').fill(ops.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.goto('/ops/channels/acme');
      await act(page, 'test', { reason: 'new certificate' });
      await act(page, 'resend', { account: '42-none', reason: 'lost' });
    },
    customer: (page: Page, ops: Ops) => walkCustomer(page, ops, look),
  };
  for (const [people, walk] of Object.entries(walks)) {
    const ops = await startOps();
    const posted = await walked(ops.port, (page) => walk(page, ops));
    expect(formsOf(people).filter((form) => !posted.includes(form))).toEqual([]);
  }
});
