import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../setup/eventually';
import { type Picture, PICTURES } from './pictures';
import type { ScreenshotStage } from './start-screenshot-stage';
import { takeScreenshot } from './take-screenshot';

const HEIGHT = 1200;
export const BESIDE = { x: 256, y: 48 }; // without the menus, which tell nothing
const SETTLE_MS = 600; // the timeline is drawn bit by bit
const TIMEOUT_MS = 60_000;

export interface Taken {
  file: string;
  /** All that could be read when it was taken. */
  text: string;
}

/** Takes every picture, each once the page says what it is to show. @returns them by name */
export async function takePictures(
  browser: Browser,
  stage: ScreenshotStage,
  folder: string,
): Promise<Map<string, Taken>> {
  const context = await browser.newContext({
    viewport: { width: widthOf(PICTURES[0]!), height: HEIGHT },
    colorScheme: 'light',
  });
  // The UI asks outside for news of itself, and waits for them.
  await context.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  const page = await context.newPage();
  await page.goto(`${stage.uiUrl}/workflows`);
  await chooseColumns(page);
  const taken = new Map<string, Taken>();
  for (const picture of PICTURES) {
    const file = path.join(folder, `${picture.name}.png`);
    taken.set(picture.name, { file, text: await takePicture(page, stage, picture, file) });
  }
  await context.close();
  return taken;
}

async function takePicture(
  page: Page,
  stage: ScreenshotStage,
  picture: Picture,
  file: string,
): Promise<string> {
  const width = widthOf(picture);
  await page.setViewportSize({ width, height: HEIGHT });
  await open(page, await addressOf(stage, picture), picture);
  const text = await eventually(() => readWhole(page, picture), TIMEOUT_MS);
  await setTimeout(SETTLE_MS);
  await page.evaluate('document.activeElement?.blur()'); // a frame that only a keyboard brings
  const clip = { ...BESIDE, width: width - BESIDE.x, height: picture.height - BESIDE.y };
  await takeScreenshot(page, { path: file, clip });
  return text;
}

async function addressOf({ client, uiUrl }: ScreenshotStage, { view }: Picture): Promise<string> {
  if ('list' in view) return `${uiUrl}/workflows?query=${encodeURIComponent(view.list)}`;
  const { runId } = await client.workflow.getHandle(view.workflow).describe();
  return `${uiUrl}/workflows/${encodeURIComponent(view.workflow)}/${runId}/${view.tab}`;
}

/** What is to be read on the page and in its frames, where the UI shows Markdown. @throws while something is missing */
async function readWhole(page: Page, { name, says }: Picture): Promise<string> {
  const texts = await Promise.all(page.frames().map((frame) => frame.locator('body').innerText()));
  const text = texts.join('\n');
  const missing = says.filter((one) => (typeof one === 'string' ? !text.includes(one) : !one.test(text)));
  if (missing.length > 0) throw new Error(`${name} does not say ${missing.join(', ')}:\n${text}`);
  return text;
}

/** A list has many columns; a channel's table is easier to read when its cells wrap. */
export const widthOf = ({ view }: Picture) => ('list' in view ? 1500 : 1400);

/** By a link, which the UI follows without starting anew: three times as fast. A list shows its filter only at a start. */
async function open(page: Page, address: string, { view }: Picture): Promise<void> {
  if ('list' in view) return void (await page.goto(address));
  const press = `const link = document.createElement('a');
    link.href = ${JSON.stringify(address)};
    document.querySelector('nav a').parentElement.append(link);
    link.click();
    link.remove();`;
  await page.evaluate(press);
  await page.waitForURL(address);
}

/** As docs/operator.md describes; the browser remembers it. */
async function chooseColumns(page: Page): Promise<void> {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await press('Configure Columns');
  for (const column of ['Run ID', 'Type', 'End']) await press(`Remove ${column} column`);
  for (const column of ['GdxRecords', 'GdxOutcome', 'GdxTrigger']) await press(`Add ${column} column`);
  await press('Close Workflows Table configuration');
}
