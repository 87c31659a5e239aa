import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { checkout } from '../../tools/local/checkout';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { startOps } from './start-ops';
import { addHostileChannel, walkOps } from './walk-ops';
import { expectAccessible } from '../setup/expect-accessible';
import { temporaryFolder } from '../setup/temporary-folder';
import { IN_DOCS, SIZES, takeDocsPictures } from './take-pictures';
import { nightlyTest } from '../setup/cases';

let browser: Browser;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser?.close());

async function expectFits(page: Page, state: string): Promise<void> {
  const { wide, lang, title } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - window.innerWidth,
    lang: document.documentElement.lang,
    title: document.title,
  }));
  expect({ state, wide, lang }).toEqual({ state, wide: 0, lang: 'en' });
  expect([state, title.startsWith('Error: ')]).toEqual([state, state.endsWith('-error')]);
}

const VIEWPORTS = [
  ['320 px', { width: 320, height: 640 }, 'light'],
  ['the narrowest desk', { width: 1000, height: 700 }, 'light'],
  ['640 px, in the dark', { width: 640, height: 400 }, 'dark'],
] as const;

/** Every state, and of the channel's page with everything unfolded. */
nightlyTest.each(VIEWPORTS)(
  'axe finds nothing, and no page scrolls sideways, at %s',
  async (_, viewport, colorScheme) => {
    const ops = await startOps();
    const baseURL = `http://127.0.0.1:${ops.port}`;
    const context = await browser.newContext({ baseURL, viewport, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:\d+\/ops|data:)/.test(request.url())) complaints.push(request.url());
    });
    const states: string[] = [];
    await walkOps(page, ops, async (state) => {
      states.push(state);
      await expectFits(page, state);
      await expectAccessible(page, state);
    });
    expect(new Set(states).size).toBe(20);
    await context.close();
    // The answers of 401, 404 and 422 are what the browser tells of pages like these.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  },
  240_000,
);

test('what others have typed stays text, and no script could run', async () => {
  const ops = await startOps();
  const { channel } = await addHostileChannel(ops);
  const context = await browser.newContext({ baseURL: `http://127.0.0.1:${ops.port}` });
  const page = await context.newPage();
  let alerted = false;
  page.on('dialog', (dialog) => ((alerted = true), void dialog.dismiss()));
  await page.goto('/ops/sign-in');
  await page.getByLabel('Operator’s token').fill(ops.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('table').textContent()).toContain('<script>alert(1)</script>');
  await page.goto(`/ops/channels/${channel._id}`);
  expect(await page.locator('h1').textContent()).toContain('"><script>alert(1)</script>');
  expect([alerted, await page.locator('script, img').count()]).toEqual([false, 0]);
  await page.addScriptTag({ content: 'window.ran = true' }).catch(() => undefined);
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
  await context.close();
});

nightlyTest('the pictures of /ops can be taken, and docs/operator.md shows each of them', async () => {
  const folder = temporaryFolder('ops-pictures');
  await takeDocsPictures(browser, folder);
  expect(readdirSync(folder).sort()).toEqual(IN_DOCS.map((name) => `${name}.png`));
  const guide = readFileSync(path.join(checkout, 'docs/operator.md'), 'utf8');
  for (const name of IN_DOCS) {
    const png = readFileSync(path.join(folder, `${name}.png`));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([SIZES.desk.width, SIZES.desk.height]);
    expect(png.length).toBeGreaterThan(30_000); // a page that shows something
    expect(guide).toContain(`](images/ops/${name}.png)`);
    expect(existsSync(path.join(checkout, `docs/images/ops/${name}.png`))).toBe(true);
  }
});
