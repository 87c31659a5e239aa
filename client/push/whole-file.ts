import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { dateAndTime } from '../../domain/time/instants';
import { CliError } from '../cli-error';
import { formatCount, note } from '../print';
import { refusalIn } from '../service/service-refusal';
import { type Checked, MARKS } from './check-file';
import { FOLDER, readNote, shortHash, writeWhole } from './checkpoint';
import { commandOf } from './plan';
import type { Mapping } from './mapping-schema';
import type { PushOrders } from './push-orders';
import { recordText, requestBody } from './request-body';

// A whole file has every record of its type. Records that the service holds and the file lacks are deleted
// (docs/contract.md E21).

const PAGE = 5_000;
const MOST = '10 %';

/** The note about the last whole file of a type. An older file must not replace it. */
const LAST = Type.Object({
  modified_ms: Type.Number(),
  deleted: Type.Array(Type.String()),
  /** The ids of the file, if it has a whole part of the records ("of" in the mapping). */
  ids: Type.Optional(Type.Array(Type.String())),
  /** A hash of where it went. */
  target: Type.Optional(Type.String()),
});
const isLast = new Ajv2020().compile<Static<typeof LAST>>(LAST);

interface WholeFile extends Pick<Checked, 'records' | 'ids' | 'listed'> {
  file: string;
  modifiedMs: number;
}

/**
 * The records that the service holds and the file lacks.
 * @throws CliError when the file looks incomplete: then nothing of it is sent
 */
export async function recordsToDelete(
  { file, modifiedMs, records, ids }: WholeFile,
  { client, mapping, again, deleteAtMost, target }: PushOrders,
): Promise<string[]> {
  const { type, whole } = mapping;
  if (records === 0)
    throw new CliError(
      `${file} has no record, and would delete all ${type}`,
      'export it again; a file that is not whole is pushed by a mapping without "whole"',
    );
  const last = await readNote(noteOf(file, mapping, target), isLast);
  if (!again && last && modifiedMs < last.modified_ms)
    throw new CliError(
      `${file} is of ${dateAndTime(modifiedMs)}, and one of ${dateAndTime(last.modified_ms)} was pushed whole`,
      'push the newest, or say --again if this one is right',
    );
  const back = last?.deleted.filter((id) => ids.markOf(id) === MARKS.live) ?? [];
  if (back.length > 0 && !again)
    throw new CliError(
      `${file} has ${JSON.stringify(back[0])} again, which the last whole file had deleted: it seems to be an older one`,
      'push the newest, or say --again if this one is right',
    );
  if (back.length > 0)
    note(`${file}: ${back.length} ${type} that the last whole file had deleted come back: ${sayFirst(back)}`);
  // The service lists only ids. The note about the last file tells which of them belong to the part, unless another
  // part has had them since.
  const part = whole?.of && new Set(last?.ids ?? []);
  if (part) for (const id of await movedSince(last, file, mapping, target)) part.delete(id);
  const missing: string[] = [];
  let held = 0;
  for await (const { id, deleted_at } of client.held(type, PAGE)) {
    if (deleted_at != null || (part && !part.has(id) && ids.markOf(id) === 0)) continue;
    held++;
    if (ids.markOf(id) === 0) missing.push(id);
  }
  const most = deleteAtMost ?? Number.parseInt(whole?.delete_at_most ?? MOST, 10);
  if (missing.length * 100 > held * most)
    throw new CliError(
      `${file} would delete ${missing.length} of the ${held} ${type} that the service holds, more than ${most} %: ${sayFirst(missing)}`,
      `export it again if it is not whole; if it is, say --delete-at-most ${Math.ceil((missing.length * 100) / held)} for this once, or "delete_at_most" in "whole"`,
    );
  return missing;
}

/** Deletes records in pushes with new request ids: deleting a record twice changes nothing. @returns how many */
export async function deleteRecords(
  missing: readonly string[],
  { file, modifiedMs, listed }: WholeFile,
  { client, mapping, batchSize, target }: PushOrders,
): Promise<number> {
  const at = noteOf(file, mapping, target);
  const last = await readNote(at, isLast);
  const before = last?.modified_ms === modifiedMs ? last.deleted : []; // deleted by a run that was stopped
  const written = { modified_ms: modifiedMs, deleted: [...before, ...missing], target: shortHash(target) };
  const write = (ids: string[]) =>
    writeWhole(at, JSON.stringify({ ...written, ...(mapping.whole?.of && { ids }) }));
  await write([...listed, ...missing]);
  const command = commandOf(mapping.type);
  for (let from = 0; from < missing.length; from += batchSize) {
    const texts = missing.slice(from, from + batchSize).map((id) => recordText({ id, deleted: true }));
    const { status, body } = await client.push(requestBody(command, texts), randomUUID(), false);
    if (status !== 204)
      throw new CliError(
        `${file}: the service refused to delete what the file lacks, with ${status} (${refusalIn(body).message ?? 'no message'})`,
        `all records of the file are stored; run the same again${status === 413 ? ' with a smaller --batch' : ''} to delete the others`,
      );
  }
  await write([...listed]); // what was deleted is no longer of the part, and may come back in another one
  return missing.length;
}

/** The ids that the last file of another part of the type has, where it is newer than the last one of this part. */
async function movedSince(
  last: Static<typeof LAST> | undefined,
  file: string,
  mapping: Mapping,
  target: string,
): Promise<string[]> {
  const own = noteOf(file, mapping, target);
  const names = await readdir(path.dirname(own)).catch(() => []);
  const moved: string[] = [];
  for (const name of names.filter((each) => each.startsWith(`whole-${mapping.type}-`))) {
    const at = path.join(path.dirname(own), name);
    const other = at === own || !name.endsWith('.json') ? undefined : await readNote(at, isLast);
    if (other?.target === shortHash(target) && other.modified_ms > (last?.modified_ms ?? 0))
      moved.push(...(other.ids ?? []));
  }
  return moved;
}

function noteOf(file: string, { type, whole }: Mapping, target: string): string {
  const of = shortHash(JSON.stringify([target, whole?.of ?? {}]));
  return path.join(path.dirname(file), FOLDER, `whole-${type}-${of}.json`);
}

/** "1001, 1002 and 14 more": the first ten. */
export function sayFirst(all: readonly string[]): string {
  const first = all.slice(0, 10).join(', ');
  return all.length > 10 ? `${first} and ${formatCount(all.length - 10)} more` : first;
}
