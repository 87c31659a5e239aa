import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../demo/browser/start-browser';
import { startTestParts, stopTestParts } from '../setup/test-parts';
import { startOps } from './start-ops';
import { walkOps } from './walk-ops';

// `npx tsx test/ops/take-screenshots.ts [folder]`: the pages that docs/operator.md shows; into another folder, every
// state, at a desk and on a phone.
const DOCS = path.join(__dirname, '../../docs/images/ops');
const folder = process.argv[2] ?? DOCS;
const IN_DOCS = ['1-channels', '2-channel-failing', '3-reset'];
const DESK = { width: 1400, height: 760 };
const PHONE = { width: 390, height: 844 };

void main();

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await startTestParts();
  const browser = await startBrowser();
  const sizes = folder === DOCS ? { desk: DESK } : { desk: DESK, phone: PHONE };
  for (const [size, viewport] of Object.entries(sizes)) {
    const ops = await startOps();
    const page = await browser.newPage({ viewport, baseURL: `http://127.0.0.1:${ops.port}` });
    await walkOps(page, ops, async (state) => {
      if (folder === DOCS && !IN_DOCS.includes(state)) return;
      const name = folder === DOCS ? state : `${state}.${size}`;
      await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: folder !== DOCS });
    });
    await page.close();
    await ops.stop();
  }
  await browser.close();
  await stopTestParts();
  process.exit(0);
}
