import type { Page } from 'playwright-core';

/** Presses a button and waits for the next page. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent('domcontentloaded'), page.locator(selector).click()]);
}

/** Presses the main button, the first of every farmer's page. */
export const pressMain = (page: Page) => press(page, '.buttons > .main');
