import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** What a program may have to itself: `n` a network, `m` mounts (util-linux, unshare). */
export type Namespace = 'n' | 'm';

/** @throws Error that says what is missing */
export function requireNamespace(kind: Namespace): void {
  runProgram(
    ['unshare', `-r${kind}`, 'true'],
    'install util-linux (`unshare`), and run where a process may have a namespace of its own: as root, or with ' +
      'user namespaces allowed (sysctl kernel.unprivileged_userns_clone=1, apparmor_restrict_unprivileged_userns=0)',
  );
}

/** Runs `node <args>` again in a namespace of its own; `as` root of it, or the root that this is. @returns its exit code */
export async function inOwnNamespace(
  kind: Namespace,
  args: string[],
  as: 'its-root' | 'this-root' = 'its-root',
): Promise<number> {
  const flags = as === 'its-root' ? `-r${kind}` : `-${kind}`;
  const child = spawn('unshare', [flags, process.execPath, ...process.execArgv, ...args], {
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child by itself; this process waits for what it has to say.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** @throws Error with the advice, the command and what it said, unless it ends with 0 */
export function runProgram([command = '', ...args]: string[], advice: string): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${advice}\n  ${command} ${args.join(' ')}: ${(error?.message ?? stderr).trim()}`);
}
