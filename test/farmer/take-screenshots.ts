import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startTestParts, stopTestParts } from '../setup/test-parts';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { takeScreenshot } from '../screenshots/take-screenshot';
import { PHONE_SIZE } from './open-page';
import { startFarmers } from './start-farmers';
import { prepareWalk, walkFarmerPages, walkBeside } from './walk';

// `npm run proof -- screenshots`, or `npx tsx test/farmer/take-screenshots.ts [folder]`: every step and state as a phone shows it.
const FOLDER = process.argv[2] ?? path.join(__dirname, '../../docs/images/farmer');
const LOOKS = [
  ['en', 'light'],
  ['es', 'dark'],
] as const;

void main();

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await startTestParts();
  const farmers = await startFarmers({ farmer: { goOnAfterS: 20 } });
  await prepareWalk(farmers);
  const browser = await startBrowser();
  for (const [locale, colorScheme] of LOOKS) {
    const baseURL = `http://127.0.0.1:${farmers.port}`;
    const page = await browser.newPage({ viewport: PHONE_SIZE, locale, colorScheme, baseURL });
    const take = async (state: string) => {
      const whole = !/200|stale/.test(state);
      await takeScreenshot(page, { path: path.join(FOLDER, `${state}.${locale}.png`), fullPage: whole });
    };
    await walkFarmerPages(page, farmers, `policy-${locale}`, take);
    await walkBeside(page, farmers, take);
    await page.close();
  }
  await browser.close();
  await farmers.stop();
  await stopTestParts();
  process.exit(0);
}
