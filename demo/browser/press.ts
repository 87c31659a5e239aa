import type { Page } from 'playwright-core';

/** A press that brings the next page. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent('domcontentloaded'), page.locator(selector).click()]);
}

/** The button that leads on, the first of every page of the farmer's. */
export const pressMain = (page: Page) => press(page, '.buttons > .main');
