import type { Page } from 'playwright-core';

/** A click waits until the next page has begun, not until all of it is there. */
export const onceLoaded =
  (page: Page, look: (state: string) => Promise<void>) =>
  async (state: string): Promise<void> => {
    await page.waitForLoadState();
    await look(state);
  };
