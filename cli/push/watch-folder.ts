import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreadable } from '../cli-error';
import { isPushable } from './open-file';

/** The files of a folder that can be pushed, in the order of their names. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable(folder));
  const names = entries.filter((entry) => entry.isFile() && isPushable(entry.name)).map(({ name }) => name);
  return names.sort().map((name) => path.join(folder, name));
}

/**
 * Every file that comes into a folder or changes there, each once, when two looks have found it equal: an export that is
 * still being written is left alone. Never ends.
 */
export async function* watchFolder(folder: string, everyMs: number): AsyncGenerator<string> {
  const found = new Map<string, string>();
  const done = new Map<string, string>();
  for (;;) {
    for (const file of await filesOf(folder)) {
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

/** @returns undefined for a file that has gone */
async function stampOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && `${found.size}/${found.mtimeMs}`;
}
