import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFile } from '../../cli/push/check-file';
import { gatheringIn } from '../../cli/push/gather';
import { readMapping } from '../../cli/push/mapping';
import { Reading } from '../../cli/push/reading';
import { type FileRecord, readRecords } from '../../cli/push/read-records';
import { readChunks } from '../../cli/text-file/plain-text';
import { temporaryFolder } from '../setup/temporary-folder';
import { asStored, byId, CASES, comparable, LAYOUTS } from './read-field';

// Files as grain ERPs write them. Each is read by its mapping, without a service; stored.slow.test.ts pushes them.

const folder = temporaryFolder('field');

/** What is made of a file, and what is said of it. */
async function read(file: string, mappingFile: string) {
  const mapping = await readMapping(mappingFile);
  const gathering = mapping.gather
    ? gatheringIn(path.join(folder, 'rows'), readFileSync(file).length)
    : undefined;
  const seen = new Reading();
  const found: Record<string, unknown>[] = [];
  const records = (async function* (): AsyncGenerator<FileRecord> {
    for await (const one of readRecords(file, () => readChunks(file), mapping, seen, gathering)) {
      found.push(asStored(one.record));
      yield one;
    }
  })();
  const { problems } = await checkFile(records, mapping, 1_000, seen, () => {});
  gathering?.remove();
  return {
    records: byId(found).map(comparable),
    says: problems.map(({ message }) => message).join('\n'),
    notes: seen.notes(),
  };
}

test.each(LAYOUTS)('$name: every record and field, and no other', async ({ file, mapping, records }) => {
  const found = await read(file, mapping);
  expect(found.says).toBe('');
  expect(found.records).toEqual(byId(records!).map(comparable));
});

test.each(CASES)(
  '$name: stored right, or refused by name',
  async ({ file, mapping, records, refused, without_line_4 }) => {
    const found = await read(file, mapping);
    if (records) expect(found).toMatchObject({ says: '', records: byId(records).map(comparable) });
    for (const { line, lines = [], column, names } of refused ?? []) {
      for (const each of [line ?? [], lines].flat())
        expect(found.says).toMatch(new RegExp(`line ${each}\\b`));
      if (column !== undefined) expect(found.says).toContain(`column ${column}`);
      for (const name of names) expect(found.says).toContain(name);
    }
    if (!without_line_4) return;
    const corrected = path.join(folder, path.basename(file));
    const text = readFileSync(file, 'latin1').split('\n');
    writeFileSync(corrected, [...text.slice(0, 3), ...text.slice(4)].join('\n'), 'latin1');
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
