import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreadable } from '../cli-error';
import { note } from '../print';
import { isPushable, PUSHABLE } from './open-file';

export interface FolderFiles {
  /** The files that can be pushed, the oldest first, and those of one time by their names. */
  files: readonly string[];
  /** All other files and folders with the reason, except names that begin with a dot, as the checkpoints do. */
  passedOver: ReadonlyMap<string, string>;
}

export const filesOf = (folder: string): Promise<FolderFiles> => lookInto(folder).catch(unreadable(folder));

async function lookInto(folder: string): Promise<FolderFiles> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: { file: string; time: number }[] = [];
  const passedOver = new Map<string, string>();
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const file = path.join(folder, entry.name);
    const found = await stat(file).catch(() => undefined); // follows a link
    const why = whyNot(entry, found);
    if (why !== undefined) passedOver.set(file, why);
    else files.push({ file, time: found?.mtimeMs ?? 0 });
  }
  files.sort((one, other) => one.time - other.time);
  return { files: files.map(({ file }) => file), passedOver };
}

/** The state of a file, to compare; undefined when it is gone. Who sets its time back does not set back when that was. */
async function stateOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && [found.size, found.mtimeMs, found.ctimeMs, found.ino].join('/');
}

function whyNot(entry: Dirent, found: Stats | undefined): string | undefined {
  if (found?.isDirectory()) return 'a folder';
  if (entry.name.startsWith('~$')) return 'the mark of a workbook that is open';
  if (!isPushable(entry.name)) return `not ${PUSHABLE}`;
  if (!found) return entry.isSymbolicLink() ? 'a link to nothing' : undefined;
  return found.isFile() ? undefined : 'not a file';
}

/**
 * Yields every new or changed file of a folder once, when it was the same at two looks: an export that is still being
 * written is left alone. It never ends: a folder that cannot be read is looked for again.
 * @param passOver called once for each file that cannot be pushed, with the reason
 * @param again files that the caller wants once more. The first time that a file is wanted so, the look ends: at the next
 * one it comes before all that are newer
 */
export async function* watchFolder(
  folder: string,
  everyMs: number,
  passOver: (file: string, why: string) => void,
  again = new Set<string>(),
): AsyncGenerator<string> {
  const found = new Map<string, string>();
  const done = new Map<string, string>();
  const passed = new Map<string, string>();
  const held = new Set<string>();
  let away: string | undefined;
  for (;;) {
    const looked = await lookInto(folder).catch((error: NodeJS.ErrnoException) => error);
    const now = looked instanceof Error ? (looked.code ?? looked.message) : undefined;
    if (now !== away)
      note(
        now === undefined
          ? `${folder} is there again`
          : `${folder} cannot be read (${now}): it is looked for again`,
      );
    away = now;
    if (!(looked instanceof Error)) {
      for (const [file, why] of looked.passedOver) {
        if (passed.get(file) !== why) passOver(file, why);
        passed.set(file, why);
      }
      for (const file of looked.files) {
        const state = await stateOf(file); // now: the file before may have taken an hour
        if (state === undefined || done.get(file) === state) continue;
        if (found.get(file) === state) {
          done.set(file, state);
          yield file;
          if (again.delete(file)) {
            done.delete(file);
            if (!held.has(file)) {
              held.add(file);
              break;
            }
          } else held.delete(file);
        }
        found.set(file, state);
      }
    }
    await sleep(everyMs);
  }
}
