import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../tools/demo/browser/start-browser';
import { checkout } from '../../tools/local/checkout';
import { IN_DOCS, SIZES, takeDocsPictures } from './take-pictures';
import { temporaryFolder } from '../setup/temporary-folder';

const folder = temporaryFolder('ops-pictures');

test('the pictures of /ops can be taken, and docs/operator.md shows each of them', async () => {
  const browser = await startBrowser();
  await takeDocsPictures(browser, folder);
  await browser.close();
  expect(readdirSync(folder).sort()).toEqual(IN_DOCS.map((name) => `${name}.png`));
  const guide = readFileSync(path.join(checkout, 'docs/operator.md'), 'utf8');
  for (const name of IN_DOCS) {
    const png = readFileSync(path.join(folder, `${name}.png`));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([SIZES.desk.width, SIZES.desk.height]);
    expect(png.length).toBeGreaterThan(30_000); // a page that shows something
    expect(guide).toContain(`](images/ops/${name}.png)`);
    expect(existsSync(path.join(checkout, `docs/images/ops/${name}.png`))).toBe(true);
  }
});
