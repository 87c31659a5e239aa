import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreadable } from '../cli-error';
import { isPushable } from './open-file';

export interface FolderFiles {
  /** The files that can be pushed, in the order of their names. */
  files: string[];
  /** All other files and folders, except names that begin with a dot, as the checkpoints do. */
  passedOver: string[];
}

export async function filesOf(folder: string): Promise<FolderFiles> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable(folder));
  const found: FolderFiles = { files: [], passedOver: [] };
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const kind = entry.isFile() && isPushable(entry.name) ? 'files' : 'passedOver';
    found[kind].push(path.join(folder, entry.name));
  }
  return found;
}

/**
 * Yields every new or changed file of a folder once, when it was the same at two looks: an export that is still being
 * written is left alone. It never ends.
 * @param passOver called once for each file that cannot be pushed
 */
export async function* watchFolder(
  folder: string,
  everyMs: number,
  passOver: (file: string) => void,
): AsyncGenerator<string> {
  const found = new Map<string, string>();
  const done = new Map<string, string>();
  const passed = new Set<string>();
  for (;;) {
    const { files, passedOver } = await filesOf(folder);
    for (const file of passedOver) {
      if (!passed.has(file)) passOver(file);
      passed.add(file);
    }
    for (const file of files) {
      const now = await stampOf(file);
      if (now === undefined || done.get(file) === now) continue;
      if (found.get(file) === now) {
        done.set(file, now);
        yield file;
      }
      found.set(file, now);
    }
    await sleep(everyMs);
  }
}

/** The state of a file, to compare; undefined when the file is gone. */
async function stampOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && `${found.size}/${found.mtimeMs}`;
}
