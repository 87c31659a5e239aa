import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { startScene } from '../ops/take-pictures';
import { takeScreenshot } from '../screenshots/take-screenshot';
import { startTestParts, stopTestParts } from '../setup/test-parts';
import { walkCustomer } from './walk-customer';

// `npx tsx test/customer-page/take-screenshots.ts [folder]`: the pages that docs/customer.md shows.
const FOLDER = process.argv[2] ?? path.join(__dirname, '../../docs/images/customer');
const IN_DOCS = ['1-channel', '2-reset'];

void main();

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await startTestParts();
  const ops = await startScene();
  const browser = await startBrowser();
  const baseURL = `http://127.0.0.1:${ops.port}`;
  const page = await browser.newPage({ viewport: { width: 1400, height: 820 }, baseURL });
  await walkCustomer(page, ops, async (state) => {
    if (IN_DOCS.includes(state)) await takeScreenshot(page, { path: path.join(FOLDER, `${state}.png`) });
  });
  await browser.close();
  await ops.stop();
  await stopTestParts();
  process.exit(0);
}
