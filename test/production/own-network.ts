import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** A public address (a customer's must be), which is this machine's own inside the network of the rehearsal. */
export const PUBLIC_ADDRESS = '93.184.216.34';

/** @throws Error that says what is missing */
export function requireOwnNetwork(): void {
  run(
    ['unshare', '-rn', 'true'],
    'install util-linux (`unshare`), and run where a process may have a network of its own: as root, or with ' +
      'user namespaces allowed (sysctl kernel.unprivileged_userns_clone=1, apparmor_restrict_unprivileged_userns=0)',
  );
  run(['ip', '-V'], 'install iproute2 (`ip`)');
}

/** Runs `node <args>` again in a network of its own: nothing that it sends leaves the machine. @returns its exit code */
export async function inOwnNetwork(args: string[]): Promise<number> {
  const child = spawn('unshare', ['-rn', process.execPath, ...process.execArgv, ...args], {
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child by itself; this process waits for what it has to say.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** From inside: loopback, with the customer's address on it. There is no other network here. */
export function raiseLoopback(): void {
  const advice = 'the `ip` program cannot set up the network of the rehearsal';
  run(['ip', 'link', 'set', 'lo', 'up'], advice);
  run(['ip', 'address', 'add', `${PUBLIC_ADDRESS}/32`, 'dev', 'lo'], advice);
}

function run([command = '', ...args]: string[], advice: string): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${advice}\n  ${command} ${args.join(' ')}: ${(error?.message ?? stderr).trim()}`);
}
