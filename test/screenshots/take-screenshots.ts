import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { closingAfter } from '../setup/close-at-end';
import { startScreenshotStage } from './start-screenshot-stage';
import { takePictures } from './take-pictures';
import { tellStories } from './tell-stories';

// `npm run proof -- screenshots`, or `npx tsx test/screenshots/take-screenshots.ts [folder]`: the six stories in the Temporal UI.
const FOLDER = process.argv[2] ?? path.join(__dirname, '../../docs/images/temporal');

void closingAfter(main).then(() => process.exit(0));

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const stage = await startScreenshotStage();
  await tellStories(stage);
  const browser = await startBrowser();
  for (const { file } of (await takePictures(browser, stage, FOLDER)).values()) console.log(file);
  await browser.close();
}
