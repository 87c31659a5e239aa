import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, type ProcessIdentity } from './process-birth';

/** Takes the lock; undefined when it is ours now, else the living process that holds it. */
export function takeLock(file: string): ProcessIdentity | undefined {
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identityOf(process.pid)));
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (linked(mine, file)) return undefined;
      const holder = readHolder(file);
      if (holder && isAlive(holder)) return holder;
      rmSync(file, { force: true }); // its holder died without letting go
    }
    return readHolder(file);
  } finally {
    rmSync(mine, { force: true });
  }
}

export function releaseLock(file: string): void {
  rmSync(file, { force: true });
}

/** Runs `work` while no other process of this machine runs it under the same lock. */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (holder: ProcessIdentity) => void,
): Promise<T> {
  let told = false;
  for (let holder = takeLock(file); holder; holder = takeLock(file)) {
    if (!told && holder.pid !== process.pid) onWait(holder);
    told = true;
    await sleep(300);
  }
  try {
    return await work();
  } finally {
    releaseLock(file);
  }
}

// A link appears with its content, or not at all: nobody reads a lock without its holder.
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
