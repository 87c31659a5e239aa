import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { checkout } from '../deploy/local/checkout';
import { startBrowser } from './browser/start-browser';
import { type Links, linksIn } from './links';

// `npm run screenshots [link to the delivery that waited, as npm run demo -- --keep prints it]`

const FOLDER = path.join(checkout, 'docs', 'images');
const SIZE = { width: 1400, height: 900 };

type Shot = (page: Page) => Promise<void>;

/** What is to be seen of each page, and how it comes into view. */
const SHOTS: Record<keyof Links, Shot> = {
  async deliveries(page) {
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await press('Configure Columns');
    for (const column of ['Run ID', 'Type', 'End']) await press(`Remove ${column} column`);
    for (const column of ['GdxRecords', 'GdxOutcome', 'GdxTrigger']) await press(`Add ${column} column`);
    await press('Close Workflows Table configuration');
    await page.getByText('delivery/acme/settlements/').first().waitFor();
  },
  async delivery(page) {
    await page.getByText('refused the connection').first().waitFor();
    await page.mouse.move(800, 500);
    await page.mouse.wheel(0, 60); // to the first try, at the bottom of the timeline
  },
  async channel(page) {
    await page
      .getByRole('tab', { name: 'User Metadata' })
      .or(page.getByText('User Metadata'))
      .first()
      .click();
    await page.frameLocator('iframe').getByText('last delivery').waitFor();
  },
};

async function main(link: string | undefined): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const demo = link ? undefined : startDemo();
  const browser = await startBrowser();
  try {
    const links = demo ? await linksOf(demo) : linksFrom(link!);
    for (const name of ['deliveries', 'delivery', 'channel'] as const) {
      await takeScreenshot(browser, name, links[name]);
    }
  } finally {
    await browser.close();
    if (demo?.kill('SIGINT')) await once(demo, 'exit');
  }
}

async function takeScreenshot(browser: Browser, name: keyof Links, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await page.goto(url);
  await SHOTS[name](page);
  await page.waitForTimeout(1_500); // the timeline is drawn bit by bit
  const file = path.join(FOLDER, `temporal-${name}.png`);
  await page.screenshot({ path: file });
  await page.close();
  console.log(file);
}

function startDemo(): ChildProcess {
  console.log('telling the story first (`npm run demo -- --keep`) ...');
  const main = path.join(checkout, 'dist', 'demo', 'main.js');
  return spawn(process.execPath, [main, '--keep', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function linksOf(demo: ChildProcess): Promise<Links> {
  for await (const line of createInterface(demo.stdout!)) {
    if (line.startsWith('{')) return (JSON.parse(line) as { links: Links }).links;
  }
  throw new Error('the demo did not come to its end');
}

function linksFrom(link: string): Links {
  const [, namespaceUrl, delivery] = /^(http.*)\/workflows\/(delivery%2F[^/?]+)/.exec(link) ?? [];
  if (!namespaceUrl || !delivery) throw new Error(`not the link of a delivery: ${link}`);
  return linksIn(namespaceUrl, decodeURIComponent(delivery));
}

void main(process.argv[2]);
