import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { identityOf, isAlive, type ProcessIdentity } from './process-birth';
import { waitUntil } from './wait-until';

interface Remembered extends ProcessIdentity {
  owner: ProcessIdentity;
}

/** Records a started process, so that the next start finds it if we die without stopping it. */
export function rememberProcess(file: string, pid: number): void {
  const remembered: Remembered = { ...identityOf(pid), owner: identityOf(process.pid) };
  writeFileSync(file, JSON.stringify(remembered));
}

/**
 * Stops a process that an earlier start left running on the same data.
 * @throws Error when its parent is alive and the data is in use.
 */
export async function stopLeftover(file: string, name: string, log: (line: string) => void): Promise<void> {
  const left = readRemembered(file);
  if (left && isAlive(left)) {
    if (left.owner.pid !== process.pid && isAlive(left.owner)) {
      throw new Error(`${name} is in use: process ${left.owner.pid} runs it as process ${left.pid}`);
    }
    log(`${name}: stopping process ${left.pid}, left by an earlier start`);
    await endProcess(left, 10_000);
  }
  rmSync(file, { force: true });
}

async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  const ended = () => (isAlive(identity) ? Promise.reject(new Error('still there')) : Promise.resolve());
  process.kill(identity.pid, 'SIGTERM');
  await waitUntil(ended, graceMs).catch(() => process.kill(identity.pid, 'SIGKILL'));
  await waitUntil(ended, 5_000);
}

function readRemembered(file: string): Remembered | undefined {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Remembered) : undefined;
  } catch {
    return undefined;
  }
}
