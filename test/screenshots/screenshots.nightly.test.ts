import type { Browser } from 'playwright-core';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { checkout } from '../../tools/local/checkout';
import { PICTURES } from './pictures';
import { type ScreenshotStage, startScreenshotStage } from './start-screenshot-stage';
import { BESIDE, takePictures, type Taken, widthOf } from './take-pictures';
import { tellStories } from './tell-stories';
import { temporaryFolder } from '../setup/temporary-folder';

const folder = temporaryFolder('pictures');
let stage: ScreenshotStage;
let browser: Browser;
let taken: Map<string, Taken>;

beforeAll(async () => {
  stage = await startScreenshotStage();
  browser = await startBrowser();
  await tellStories(stage);
  taken = await takePictures(browser, stage, folder);
});
afterAll(() => browser?.close());

const said = (name: string) => taken.get(name)!.text;
/** The row of the list that begins with this id, up to the next one. */
const row = (list: string, id: string) => new RegExp(`\\S+\\s+${id}\\s[^/]*`).exec(said(list))?.[0] ?? '';

test.each(PICTURES.map((picture) => [picture.name, picture] as const))(
  '%s is a picture of a sensible size',
  (name, picture) => {
    const png = readFileSync(taken.get(name)!.file);
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
      widthOf(picture) - BESIDE.x,
      picture.height - BESIDE.y,
    ]);
    expect(png.length).toBeGreaterThan(30_000); // a page that shows something
    expect(png.length).toBeLessThan(400_000);
  },
);

test('the list of channels says in one word how each is', () => {
  expect(row('0-channels', 'channel/acme')).toContain('healthy');
  expect(row('0-channels', 'channel/credit')).toContain('failing');
  expect(row('0-channels', 'channel/prairie')).toContain('paused');
});

test('the list of deliveries tells who waits, who failed, what a reset and a grant sent', () => {
  expect(row('0-deliveries', 'delivery/acme/tickets/2')).toMatch(
    /completed.*\s12\s+delivered\s+deliver-now/is,
  );
  expect(row('0-deliveries', 'delivery/hail/tickets/2')).toMatch(/^running/i);
  expect(row('0-deliveries', 'delivery/credit/tickets/2')).toMatch(/^failed.*unauthorized/is);
  expect(row('0-deliveries', 'delivery/river/tickets/2')).toMatch(/^running.*reset/is);
  expect(row('0-deliveries', 'delivery/bank/tickets/1/catch-up')).toMatch(/\s94\s+delivered\s+subscriptions/);
});

test('a healthy channel: when it runs next, and its table', () => {
  expect(said('1-healthy')).toMatch(/Acme Crop Insurance: next run at [\d-]+ [\d:]+\. All times are UTC/);
  expect(said('1-healthy')).toMatch(
    /entity type\s+now\s+confirmed up to\s+last confirmed page\s+last delivery/,
  );
  for (const last of [
    /accounts\s.*20 records by/,
    /contracts\s.*40 records by/,
    /tickets\s.*12 records by/,
  ]) {
    expect(said('1-healthy')).toMatch(last);
  }
});

test('a customer that is down: what it answered and when it is tried next, try by try', () => {
  expect(said('2-down')).toMatch(/Running\s+delivery\/hail\/tickets\/2/i);
  const waits = said('2-down').match(/Great Plains Hail answered 503, next try \d\d:\d\d:\d\d UTC/g) ?? [];
  expect(new Set(waits).size).toBeGreaterThanOrEqual(3);
});

test('a failed delivery: red, and what to do', () => {
  expect(said('3-failed')).toMatch(/Failed\s+delivery\/credit\/tickets\/2/i);
  expect(said('3-failed')).toContain('Farm Credit West answered 401: check the channel’s authorization');
});

test('a reset on its way: why it runs and how far it is', () => {
  expect(said('4-reset')).toMatch(/900 records in pages of 50, .* Started by: reset\./);
  expect(said('4-reset')).toMatch(/page \d+ of 18, \d+ of 900 records, last answer 200 in \d+ ms/);
});

test('a catch-up: what newly shared accounts had before', () => {
  expect(said('5-catch-up')).toMatch(/Completed\s+delivery\/bank\/tickets\/1\/catch-up/i);
  expect(said('5-catch-up')).toMatch(/tickets catch-up, 94 records/);
});

test('a paused channel: why, and that nothing is lost', () => {
  expect(said('6-paused')).toContain(
    'paused (their maintenance until Monday). Nothing is lost: the markers wait.',
  );
});

test('docs/operator.md shows each of them', () => {
  const guide = readFileSync(path.join(checkout, 'docs', 'operator.md'), 'utf8');
  for (const { name } of PICTURES) {
    expect(guide.includes(`](images/temporal/${name}.png)`)).toBe(true);
    expect(existsSync(path.join(checkout, 'docs/images/temporal', `${name}.png`))).toBe(true);
  }
});
