import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { localDir } from '../local/checkout';
import { stopLeftover } from '../local/leftover';
import { isAlive } from '../local/process-birth';

const RUNS = path.join(localDir, 'demo');

/** A folder for this run's data, logs and pid files. Also stops processes of killed demos. */
export async function makeRunFolder(log: (line: string) => void): Promise<string> {
  for (const run of existsSync(RUNS) ? readdirSync(RUNS) : []) {
    if (!isAlive({ pid: Number(run) })) await removeRunFolder(path.join(RUNS, run), log);
  }
  const dir = path.join(RUNS, String(process.pid));
  await mkdir(path.join(dir, 'logs'), { recursive: true });
  return dir;
}

/** Stops processes that still use the folder, then removes it, or everything but its logs. */
export async function removeRunFolder(
  dir: string,
  log: (line: string) => void,
  keepLogs = false,
): Promise<void> {
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.pid'))) {
    await stopLeftover(path.join(dir, file), path.basename(file, '.pid'), log);
  }
  if (!keepLogs) return await rm(dir, { recursive: true, force: true });
  for (const name of readdirSync(dir)) {
    if (name !== 'logs') await rm(path.join(dir, name), { recursive: true, force: true });
  }
  process.stdout.write(`   The logs are in ${path.join(dir, 'logs')} until the next demo.\n`);
}
