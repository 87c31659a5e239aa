import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { press } from '../../tools/demo/browser/press';
import { listGranted } from '../../store/consent/subscriptions';
import { brokenWords, DESKTOP, expectFits, openPage, PHONE_SIZE, SMALL, ZOOMED } from './open-page';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { eventually } from '../setup/eventually';
import { expectAccessible } from '../setup/expect-accessible';
import { addFarmersChannel, linkTo, PHONE, startFarmers, type Farmers } from './start-farmers';
import { prepareWalk, walkBeside, walkFarmerPages } from './walk';
import { first, scaledTest } from '../setup/cases';
import { serveHere } from '../setup/serve-here';

let farmers: Farmers;
let browser: Browser;

beforeAll(async () => {
  farmers = await startFarmers();
  await prepareWalk(farmers);
  browser = await startBrowser();
});
afterAll(() => browser?.close());

const WAYS: [string, BrowserContextOptions][] = [
  ['English, 320 px, no JavaScript', { locale: 'en-US', viewport: SMALL, javaScriptEnabled: false }],
  ['English, desktop', { locale: 'en-US', viewport: DESKTOP }],
  ['Spanish, 320 px', { locale: 'es-US', viewport: SMALL }],
  ['Spanish, desktop, no JavaScript', { locale: 'es-US', viewport: DESKTOP, javaScriptEnabled: false }],
  ['English, 390 px', { locale: 'en-US', viewport: PHONE_SIZE }],
  ['Spanish, 390 px, no JavaScript', { locale: 'es-US', viewport: PHONE_SIZE, javaScriptEnabled: false }],
];

scaledTest.each(first(2, WAYS))('the whole way: %s', async (name, options) => {
  const { page, complaints, loads, close } = await openPage(browser, farmers, options);
  const states: string[] = [];
  await walkFarmerPages(page, farmers, name, async (state) => {
    states.push(state);
    await expectFits(page, state, await loads());
    expect(await page.getAttribute('html', 'lang')).toBe(options.locale?.slice(0, 2));
    if (state === '5-done') {
      const granted = await listGranted(farmers.store, 'acme', name);
      expect(granted.map(({ account }) => account)).toEqual(['42-1001']);
      expect(await page.getAttribute('.buttons > .main', 'href')).toBe('/subscriptions/leave');
    }
    expect(page.url()).not.toContain(PHONE);
  });
  expect(states).toHaveLength(13);
  expect(await listGranted(farmers.store, 'acme', name)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test.each(['en-US', 'es-US'])('at 320 px and a zoom of 200 %% no word is broken: %s', async (locale) => {
  const { page, close } = await openPage(browser, farmers, { locale, viewport: ZOOMED });
  const broken: Record<string, string[]> = {};
  const look = async (state: string) => {
    const words = await brokenWords(page);
    if (words.length > 0) broken[state] = words;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect([state, wide]).toEqual([state, 0]);
  };
  await walkFarmerPages(page, farmers, `zoomed ${locale}`, look);
  await walkBeside(page, farmers, look);
  expect(broken).toEqual({});
  await close();
});

test('by keyboard alone', async () => {
  await farmers.forgetAttempts();
  const { page, close } = await openPage(browser, farmers, { locale: 'en-US', viewport: DESKTOP });
  const at = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  const tabTo = async (check: string) => {
    for (let tabs = 0; tabs < 30; tabs++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), check)) return;
    }
    throw new Error(`Tab does not come to ${check}; last at ${await at()}`);
  };
  const pressKey = (key: string) =>
    Promise.all([page.waitForEvent('domcontentloaded'), page.keyboard.press(key)]);

  await page.goto(linkTo({ partner_id: 'keyboard', phone: '7015550000' }));
  await tabTo('#phone');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('701.555');
  await pressKey('Enter');
  await eventually(async () => expect(await at()).toContain('There is a problem'));
  await tabTo('.errors a');
  await page.keyboard.press('Enter');
  await eventually(async () => expect(await page.evaluate(() => document.activeElement?.id)).toBe('phone'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type(PHONE);
  await pressKey('Enter');
  await tabTo('#code');
  await page.keyboard.type(await farmers.sender.codeSent(PHONE));
  await pressKey('Enter');
  await tabTo('input[value="42-1002"]');
  await page.keyboard.press('Space');
  await tabTo('button.main');
  await pressKey('Enter');
  await tabTo('button.main');
  await pressKey('Space');
  expect(page.url()).toMatch(/\/done$/);
  await tabTo('a.button');
  await close();
  const granted = await listGranted(farmers.store, 'acme', 'keyboard');
  expect(granted.map(({ account }) => account)).toEqual(['42-1002']);
});

test('the language can be changed on every page, and what was typed and ticked stays, but a code', async () => {
  await farmers.forgetAttempts();
  const { page, close } = await openPage(browser, farmers, { locale: 'en-US', viewport: SMALL });
  const change = async (from: string, to: string) => {
    await press(page, 'header button[name=language]');
    expect([from, await page.getAttribute('html', 'lang')]).toEqual([from, to]);
  };
  const next = () => press(page, '.buttons > .main');
  await page.goto(linkTo({ partner_id: 'language' }));
  await page.fill('#phone', '701 555 0142');
  await change('phone', 'es');
  expect(await page.inputValue('#phone')).toBe('701 555 0142');
  await next();
  expect(farmers.sender.texts.at(-1)?.body).toContain('es su codigo de ');
  await page.fill('#code', '12');
  await change('code', 'en');
  expect(await page.inputValue('#code')).toBe(''); // the page is another, and keeps no code
  await page.fill('#code', await farmers.sender.codeSent(PHONE));
  await next();
  await page.check('input[value="43-77"]');
  await change('accounts', 'es');
  expect(await page.isChecked('input[value="43-77"]')).toBe(true);
  await next();
  await change('check', 'en');
  await change('check', 'es');
  await next();
  await change('done', 'en');
  await page.goto('/subscriptions/cancelled');
  await change('cancelled', 'es');
  await close();
  const consent = await farmers.store.db.collection('consents').findOne({ partner_id: 'language' });
  expect(consent).toMatchObject({ act: 'grant', account: '43-77', language: 'es' });
});

test('the receipt is seen, in either language, and downloaded', async () => {
  await farmers.forgetAttempts();
  const { page, complaints, close } = await openPage(browser, farmers, { locale: 'es-US', viewport: SMALL });
  const next = () => press(page, '.buttons > .main');
  await page.goto(linkTo({ partner_id: 'receipt' }));
  await next();
  await page.fill('#code', await farmers.sender.codeSent(PHONE));
  await next();
  await page.check('input[value="43-77"]');
  await next();
  await next();
  await press(page, 'text=Ver lo que usted eligió');
  expect(await page.innerText('pre')).toMatch(/^Con: .*\n.*termina en 42\n[^]*Compartida: Dale & Ruth Meyer/);
  const download = page.waitForEvent('download');
  await page.click('text=Descargar lo que usted eligió');
  expect((await download).suggestedFilename()).toBe('receipt.txt');
  await press(page, 'header button[name=language]');
  expect(await page.innerText('pre')).toContain('Shared: Dale & Ruth Meyer');
  await press(page, 'text=Back');
  expect(page.url()).toMatch(/\/done\?stay$/);
  expect(complaints).toEqual([]);
  await close();
});

test.each([true, false])('after saving a browser goes on, with JavaScript: %s', async (javaScriptEnabled) => {
  const customer = createServer((_, response) => response.end('<title>Back at Acme</title>'));
  const { url: origin } = await serveHere(customer);
  await farmers.forgetAttempts();
  await addFarmersChannel(farmers, `near-${javaScriptEnabled}`, { callback_origins: [origin] });
  const options = { viewport: SMALL, locale: 'en-US', javaScriptEnabled };
  const { page, complaints, close } = await openPage(browser, farmers, options);
  const next = () => press(page, '.buttons > .main');
  farmers.settings.goOnAfterS = 1;
  const link = { partner_slug: `near-${javaScriptEnabled}`, callback_url: `${origin}/back?case=7` };
  await page.goto(linkTo(link));
  await next();
  await page.fill('#code', await farmers.sender.codeSent(PHONE));
  await next();
  await page.check('input[value="42-1001"]');
  await next();
  const arrived = once(customer, 'request');
  await next();
  const [{ url, headers }] = (await arrived) as [IncomingMessage];
  expect([url, headers.referer]).toEqual(['/back?case=7&status=saved&partner_id=policy-1', undefined]);
  await page.waitForURL(`${origin}/**`);
  expect([await page.title(), complaints]).toEqual(['Back at Acme', []]);
  farmers.settings.goOnAfterS = 3_600;
  await close();
});

const LOOKS: [string, BrowserContextOptions][] = [
  ['English, light, 320 px', { locale: 'en-US', viewport: SMALL, colorScheme: 'light' }],
  ['Spanish, dark, desktop', { locale: 'es-US', viewport: DESKTOP, colorScheme: 'dark' }],
  ['Spanish, light, 390 px', { locale: 'es-US', viewport: PHONE_SIZE, colorScheme: 'light' }],
  ['English, dark, 390 px', { locale: 'en-US', viewport: PHONE_SIZE, colorScheme: 'dark' }],
];

scaledTest.each(first(1, LOOKS))('axe finds nothing on any page: %s', async (name, options) => {
  const { page, loads, close } = await openPage(browser, farmers, options);
  const states: string[] = [];
  const look = async (state: string) => {
    states.push(state);
    await expectAccessible(page, state);
    await expectFits(page, state, await loads());
  };
  await walkFarmerPages(page, farmers, `axe ${name}`, look);
  await walkBeside(page, farmers, look);
  expect(states).toHaveLength(33);
  await close();
});
