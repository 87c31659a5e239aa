import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readMapping } from '../../client/push/mapping';
import { showRecords } from '../../client/push/show-records';
import { checkout } from '../../tools/local/checkout';
import { byId, CASES, comparable, LAYOUTS } from '../field/read-field';
import { readMade } from '../field/read-made';
import { temporaryFolder } from '../setup/temporary-folder';
import { slowTest } from '../setup/cases';

// What docs/files.md shows is what it says.

const GUIDE = readFileSync(path.join(checkout, 'docs/files.md'), 'utf8');
const folder = temporaryFolder('erp-examples');

const EXAMPLES = [...GUIDE.matchAll(/<!-- example: (\S+) -->\n```json\n([^]*?)```/g)].map(
  ([, file, mapping]) => ({
    file: file!,
    mapping: mapping!,
  }),
);

test('the guide has six worked examples', () => expect(EXAMPLES).toHaveLength(6));

slowTest.each(EXAMPLES)(
  '$file becomes the right records by the mapping that the guide shows',
  async ({ file, mapping }) => {
    const { records } = [...LAYOUTS, ...CASES].find((layout) => layout.file.endsWith(path.basename(file)))!;
    const at = path.join(folder, path.basename(file));
    copyFileSync(path.join(checkout, file), at);
    writeFileSync(path.join(folder, 'mapping.json'), mapping);
    const said = await readMapping(path.join(folder, 'mapping.json'));
    const found = await readMade(at, said);
    expect(found.says).toBe('');
    expect(byId(found.records).map(comparable)).toEqual(byId(records!).map(comparable));
    const { text, problems } = await showRecords(at, said, 1);
    expect(problems).toEqual([]);
    expect(text).toMatch(/^line \d+\n[^]*"(ticket|settlement)_number": /);
  },
);

slowTest('the script of ten lines writes the NDJSON that it says', async () => {
  const [, script] = /```js\n(\/\/ bushels[^]*?)```/.exec(GUIDE)!;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script!], {
    input: 'Ticket,Account,Code,Net\nT-1,1001,YC,5600\nT-2,1001,SB,90\n',
    encoding: 'utf8',
  });
  writeFileSync(path.join(folder, 'tickets.ndjson'), stdout);
  const { records, says } = await readMade(path.join(folder, 'tickets.ndjson'), { type: 'tickets' });
  expect(says).toBe('');
  expect(records).toMatchObject([
    { id: 'T-1', net_units: '100.00' },
    { id: 'T-2', net_units: '1.50' },
  ]);
});

test('what of gdx push the guide names is there', () => {
  const help = readFileSync(path.join(checkout, 'client/nouns/push.ts'), 'utf8');
  const named = new Set(GUIDE.match(/--(?!input)[a-z]+(-[a-z]+)*/g));
  for (const known of ['--version', '--delete-at-most']) named.delete(known);
  for (const option of named) expect(help).toContain(option);
});
