import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settingsPage } from '../../cli/settings-page';
import { SETTINGS } from '../../config';

const FILE = path.join(__dirname, '../../docs/settings.md');

test('docs/settings.md is what config.ts says: `npm run -s gdx -- config --markdown > docs/settings.md`', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(settingsPage(SETTINGS.properties));
});

test('every setting is a row with a meaning, and no cell breaks the table', () => {
  const page = settingsPage({ ...SETTINGS.properties, ODD: { default: '', description: 'a | b\nc' } });
  for (const name of Object.keys(SETTINGS.properties)) {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\| .* \\| .{10,} \\|$`, 'm'));
  }
  expect(page).toContain('| `ODD` |  | a \\| b c |');
  expect(page).toMatch(/^\| `PORT` \| `3000` \| .* \(0 to 65,535\) \|$/m);
});
