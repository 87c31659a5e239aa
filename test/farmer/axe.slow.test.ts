import type { Browser, BrowserContextOptions } from 'playwright-core';
import { DESKTOP, expectFits, openPage, SMALL } from './open-page';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { startFarmers, type Farmers } from './start-farmers';
import { prepareWalk, walkFarmerPages, walkBeside } from './walk';
import { expectAccessible } from '../setup/expect-accessible';

let farmers: Farmers;
let browser: Browser;

beforeAll(async () => {
  farmers = await startFarmers();
  await prepareWalk(farmers);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await farmers.stop();
});

test.each([
  ['English, light, 320 px', { locale: 'en-US', viewport: SMALL, colorScheme: 'light' }],
  ['Spanish, dark, desktop', { locale: 'es-US', viewport: DESKTOP, colorScheme: 'dark' }],
] as [string, BrowserContextOptions][])('axe finds nothing on any page: %s', async (name, options) => {
  const { page, loads, close } = await openPage(browser, farmers, options);
  const states: string[] = [];
  const look = async (state: string) => {
    states.push(state);
    await expectAccessible(page, state);
    await expectFits(page, state, await loads());
  };
  await walkFarmerPages(page, farmers, `axe ${name}`, look);
  await walkBeside(page, farmers, look);
  expect(states).toHaveLength(31);
  await close();
});
