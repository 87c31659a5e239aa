import type { Browser, Page } from 'playwright-core';
import { press, pressMain } from './browser/press';

const PHONE_SIZE = { width: 390, height: 844 };

/** The farmer: drives the pages in a browser of a phone's size. */
export class FarmerBrowser {
  private constructor(private readonly page: Page) {}

  static async follow(browser: Browser, link: string): Promise<FarmerBrowser> {
    const page = await browser.newPage({ viewport: PHONE_SIZE, locale: 'en-US' });
    await page.goto(link);
    return new FarmerBrowser(page);
  }

  /** @returns the code, which a test system shows on the page instead of texting it */
  async provePhone(): Promise<string> {
    await pressMain(this.page);
    const code = /\d{6}/.exec(await this.page.innerText('.note'))![0];
    await this.page.fill('#code', code);
    await pressMain(this.page);
    return code;
  }

  /** The accounts on the page. */
  async accounts(): Promise<{ id: string; ticked: boolean }[]> {
    const boxes = await this.page.locator('input[name=account]').all();
    return Promise.all(
      boxes.map(async (box) => ({ id: (await box.getAttribute('value'))!, ticked: await box.isChecked() })),
    );
  }

  /** @returns the account as the page names it */
  async tick(account: string, ticked: boolean): Promise<string> {
    const row = this.page.locator('label.row', { has: this.page.locator(`input[value="${account}"]`) });
    const name = await row.locator('b').innerText();
    await row.locator('input').setChecked(ticked);
    await pressMain(this.page);
    return name;
  }

  /** Presses the button of the page to check. @returns what is on it, and what the last page says */
  async agree(): Promise<{ button: string; answer: string }> {
    const button = await this.page.innerText('.buttons > .main');
    await pressMain(this.page);
    const reference = this.page.getByText('Reference:');
    await reference.waitFor();
    const answer = `${await this.page.innerText('h1')}. ${await reference.innerText()}`;
    return { button, answer: answer.replace(/\s+/g, ' ') };
  }

  async changeChoices(): Promise<void> {
    await press(this.page, 'a[href="/subscriptions/accounts"]');
  }
}
