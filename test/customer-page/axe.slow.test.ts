import type { Browser } from 'playwright-core';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { startOps } from '../ops/start-ops';
import { expectAccessible } from '../setup/expect-accessible';
import { walkCustomer } from './walk-customer';

let browser: Browser;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser?.close());

test.each([
  ['320 px', { width: 320, height: 640 }],
  ['a desk', { width: 1000, height: 700 }],
])(
  'axe finds nothing on the customer’s page, and it does not scroll sideways, at %s',
  async (_, viewport) => {
    const ops = await startOps();
    const context = await browser.newContext({ baseURL: `http://127.0.0.1:${ops.port}`, viewport });
    const page = await context.newPage();
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:\d+\/customer|data:)/.test(request.url())) foreign.push(request.url());
    });
    const states: string[] = [];
    await walkCustomer(page, ops, async (state) => {
      states.push(state);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([state, wide]).toEqual([state, 0]);
      expect([state, (await page.title()).startsWith('Error: ')]).toEqual([state, state.endsWith('-error')]);
      await expectAccessible(page, state);
    });
    expect([new Set(states).size, foreign]).toEqual([19, []]);
    await context.close();
    await ops.stop();
  },
  240_000,
);
