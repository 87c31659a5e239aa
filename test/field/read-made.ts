import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkFile } from '../../client/push/check-file';
import { gatheringIn } from '../../client/push/gather';
import type { Mapping } from '../../client/push/mapping-schema';
import { type FileRecord, readRecords } from '../../client/push/read-records';
import { Reading } from '../../client/push/reading';

/** What is made of a file, what is said of it, and what its report notes. */
export async function readMade(file: string, mapping: Mapping) {
  const gathering = mapping.gather ? gatheringIn(path.join(path.dirname(file), 'rows'), 1) : undefined;
  const seen = new Reading();
  const records: Record<string, unknown>[] = [];
  const noted = (async function* (): AsyncGenerator<FileRecord> {
    for await (const one of readRecords(file, mapping, seen, gathering)) {
      records.push(one.record);
      yield one;
    }
  })();
  const { problems } = await checkFile(noted, mapping, 1_000, seen, () => {});
  gathering?.remove();
  return { records, says: problems.map(({ message }) => message).join('\n'), notes: seen.notes() };
}

export function written(folder: string, name: string, content: string | Buffer): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}
