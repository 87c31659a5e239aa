import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { startTestParts, stopTestParts } from '../setup/test-parts';
import { takeAllPictures, takeDocsPictures } from './take-pictures';

// `npx tsx test/ops/take-screenshots.ts [folder]`: the pages that docs/operator.md shows; into another folder, every
// state, at a desk and on a phone.
const DOCS = path.join(__dirname, '../../docs/images/ops');
const folder = process.argv[2] ?? DOCS;

void main();

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await startTestParts();
  const browser = await startBrowser();
  await (folder === DOCS ? takeDocsPictures : takeAllPictures)(browser, folder);
  await browser.close();
  await stopTestParts();
  process.exit(0);
}
