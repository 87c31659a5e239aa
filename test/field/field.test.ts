import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readMapping } from '../../client/push/mapping';
import { temporaryFolder } from '../setup/temporary-folder';
import { asStored, byId, CASES, comparable, LAYOUTS } from './read-field';
import { readMade, written } from './read-made';

// Files as grain ERPs write them. Each is read by its mapping, without a service; stored.slow.test.ts pushes them.

const folder = temporaryFolder('field');

/** What is made of a file, and what is said of it. */
async function read(file: string, mappingFile: string) {
  const copy = written(folder, path.basename(file), readFileSync(file));
  try {
    const found = await readMade(copy, await readMapping(mappingFile));
    return { ...found, records: byId(found.records.map(asStored)).map(comparable) };
  } catch (error) {
    return { records: [], says: (error as Error).message, notes: [] }; // the mapping is refused
  }
}

test.each(LAYOUTS)('$name: every record and field, and no other', async ({ file, mapping, records }) => {
  const found = await read(file, mapping);
  expect(found.says).toBe('');
  expect(found.records).toEqual(byId(records!).map(comparable));
});

test.each(CASES)(
  '$name: stored right, or refused by name',
  async ({ file, mapping, records, refused, or_refused, without_line_4 }) => {
    const found = await read(file, mapping);
    const isRefused = refused ?? (or_refused && found.says !== '' ? or_refused : undefined);
    if (isRefused) expect(found.says).not.toBe('');
    else expect(found).toMatchObject({ says: '', records: byId(records!).map(comparable) });
    for (const { line, lines = [], column, names = [] } of isRefused ?? []) {
      for (const each of [line ?? [], lines].flat())
        expect(found.says).toMatch(new RegExp(`line ${each}\\b`));
      if (column !== undefined) expect(found.says).toContain(`column ${column}`);
      for (const name of names) expect(found.says).toContain(name);
    }
    if (!without_line_4) return;
    const text = readFileSync(file, 'latin1').split('\n');
    const lines = [...text.slice(0, 3), ...text.slice(4)].join('\n');
    const corrected = written(folder, `corrected-${path.basename(file)}`, Buffer.from(lines, 'latin1'));
    expect(await read(corrected, mapping)).toMatchObject({
      says: '',
      records: byId(without_line_4).map(comparable),
    });
  },
);

test('what is left out of a register is said, line by line', async () => {
  const { file, mapping } = LAYOUTS.find(({ name }) => name.startsWith('03'))!;
  expect((await read(file, mapping)).notes).toEqual([
    'left out, above the heading: lines 1-3',
    'left out, not in "rows": lines 9, 11-12, 18, 20-21',
    'left out, the heading again: line 14',
  ]);
});
