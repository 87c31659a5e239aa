import type { Page, PageScreenshotOptions } from 'playwright-core';
import { setTimeout } from 'node:timers/promises';

const TRIES = 5;
const PAUSE_MS = 500;

/** Chromium now and then refuses a picture and takes the same one when asked again (robotframework-browser#5237). */
export async function takeScreenshot(page: Page, options: PageScreenshotOptions): Promise<void> {
  for (let tries = TRIES; ; tries -= 1) {
    try {
      await page.screenshot(options);
      return;
    } catch (error) {
      if (tries === 1 || !String(error).includes('Unable to capture screenshot')) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
