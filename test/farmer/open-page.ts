import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import type { Farmers } from './start-farmers';

export const DESKTOP = { width: 1280, height: 900 };
export const SMALL = { width: 320, height: 640 }; // also 1280 at a zoom of 400 %
/** 320 px at a zoom of 200 %. */
export const ZOOMED = { width: 160, height: 320 };
export const PHONE_SIZE = { width: 390, height: 844 };

/** A page, what it has loaded since the last press, and what the browser complained of. */
export async function openPage(browser: Browser, farmers: Farmers, options: BrowserContextOptions) {
  const context = await browser.newContext({ baseURL: `http://127.0.0.1:${farmers.port}`, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  let loads: Promise<Load>[] = [];
  page.on('request', (request) => {
    // A press begins anew; the page that a form's answer leads to belongs to it.
    if (request.isNavigationRequest() && !request.redirectedFrom()) loads = [];
    if (!request.url().startsWith('data:')) loads.push(weigh(request));
  });
  return {
    page,
    complaints,
    loads: () => Promise.all(loads),
    close: () => context.close(),
  };
}

interface Load {
  all: number;
  body: number;
}

async function weigh(request: Request): Promise<Load> {
  await request.response();
  const { responseBodySize: body, responseHeadersSize } = await request.sizes();
  return { all: body + responseHeadersSize, body };
}

/** No page may scroll sideways, be too heavy or have rows too small to touch. */
export async function expectFits(page: Page, state: string, loads: Load[]): Promise<void> {
  const { wide, small, lang, title } = await page.evaluate(() => {
    const all = (selector: string) => Array.from(document.querySelectorAll<HTMLElement>(selector));
    const shown = (element: HTMLElement) => !element.closest('.hidden');
    return {
      wide: document.documentElement.scrollWidth - window.innerWidth,
      small: all('.row, button, .button, input:not([type=hidden], [type=checkbox], [type=radio]), a.plain')
        .filter((element) => shown(element) && element.getBoundingClientRect().height < 44)
        .map((element) => element.outerHTML),
      lang: document.documentElement.lang,
      title: document.title,
    };
  });
  expect({ state, wide, small }).toEqual({ state, wide: 0, small: [] });
  expect([lang, title.length > 10]).toEqual([expect.stringMatching(/^(en|es)$/), true]);
  expect(title.startsWith('Error:')).toBe(state.endsWith('-error'));
  const [all, html] = [loads.reduce((sum, load) => sum + load.all, 0), loads.at(-1)?.body ?? 0];
  const weighed = { requests: loads.length <= 3, html: html > 0 && html <= 14 * 1024, all: all <= 30 * 1024 };
  expect({ state, ...weighed }).toEqual({ state, requests: true, html: true, all: true });
}

/** The words of up to twelve letters that a page breaks. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement!.closest('.hidden, style')) continue;
      for (const { 0: word, index } of node.textContent!.matchAll(
        /[\p{L}\p{M}]{1,12}(?![\p{L}\p{M}./_:])/gu,
      )) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set(Array.from(range.getClientRects()).map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(word);
      }
    }
    return broken;
  });
}
