import type { Browser } from 'playwright-core';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { expectAccessible } from '../setup/expect-accessible';
import { type Api, startApi } from './start-api';

// What an engineer sees of `/guide`, on a phone as on a desk (docs/contract.md A21).

const SIZES = [320, 390, 769, 1024, 1280];

let api: Api;
let browser: Browser;
beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), startBrowser()]);
});
afterAll(() => browser?.close());

/** How far a page may be scrolled sideways, what nobody sees, and whether it is dark. */
const look = () => ({
  wide: document.documentElement.scrollWidth - window.innerWidth,
  lists: Array.from(document.querySelectorAll('.pages')).filter((list) => list.getClientRects().length > 0)
    .length,
  page: getComputedStyle(document.body).backgroundColor,
});

test.each(['light', 'dark'] as const)(
  '%s: every page fits each screen, and is accessible',
  async (colorScheme) => {
    const { text } = await api.ask('GET', '/llms.txt');
    const pages = [
      '/guide',
      ...[...text.matchAll(/\((\/guide\/[\w-]+)\.md\)/g)].map(([, address]) => address!),
    ];
    expect(pages.length).toBeGreaterThan(9);
    const context = await browser.newContext({ colorScheme, javaScriptEnabled: true });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    for (const address of pages) {
      await page.goto(`http://127.0.0.1:${api.port}${address}`);
      for (const width of SIZES) {
        await page.setViewportSize({ width, height: 800 });
        const seen = { address, width, ...(await page.evaluate(look)) };
        expect(seen).toEqual({
          address,
          width,
          wide: 0,
          lists: 1,
          page: colorScheme === 'dark' ? 'rgb(20, 24, 26)' : 'rgb(255, 255, 255)',
        });
      }
      const [image] = await page.$$('img');
      if (image)
        expect(
          await image.evaluate((each: HTMLImageElement) => each.decode().then(() => each.naturalWidth)),
        ).toBeGreaterThan(500);
    }
    expect(complaints).toEqual([]);
    await context.close();
  },
);

test.each(['/guide', '/guide/records', '/guide/customer', '/guide/files'])(
  'axe finds nothing on %s',
  async (address) => {
    // The policy of the page lets no script in, axe included.
    for (const width of [320, 1280]) {
      const context = await browser.newContext({ bypassCSP: true, viewport: { width, height: 800 } });
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${api.port}${address}`);
      await expectAccessible(page, `${address} ${width}`);
      await context.close();
    }
  },
);
