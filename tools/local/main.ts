import { spawn } from 'node:child_process';
import path from 'node:path';
import { checkout, localDir } from './checkout';
import { releaseLock, takeLock } from './lock-file';
import { readOptions } from './read-options';
import { readRunning } from '../../config';

const USAGE = `npm start
  brings up MongoDB, Temporal with its UI, the API and a worker on this machine, until Ctrl-C; data stays in .local/.
  Settings are environment variables: npm run -s gdx -- config lists them.`;

const LOCK = path.join(localDir, 'start.lock');

/**
 * `npm start`. The supervisor and all parts run in their own process group (docs/contract.md S4): Ctrl-C reaches only
 * this process, so the parts stop in order, and the whole group ends whichever process dies.
 */
function main(): void {
  readOptions(USAGE, {});
  const holder = takeLock(LOCK);
  if (holder) {
    const api = readRunning(checkout)?.api_url ?? 'still starting';
    console.error(
      `npm start runs already (process ${holder.pid}, API ${api}); stop it first with Ctrl-C there.`,
    );
    process.exit(1);
  }
  const supervisor = spawn(process.execPath, ['--enable-source-maps', path.join(__dirname, 'supervise.js')], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => supervisor.connected && supervisor.send('stop'));
  }
  supervisor.once('exit', (code, signal) => {
    if (signal) console.error(`the supervisor was ended by ${signal}; ending every part`);
    killGroup(supervisor.pid);
    releaseLock(LOCK);
    process.exit(code ?? 1);
  });
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Usually the group is already empty.
  }
}

main();
