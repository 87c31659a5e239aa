import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_BYTES = 64 * 1024 * 1024; // of what a command prints

/** A newcomer's terminal: one folder, and what was exported stays. */
export class Terminal {
  readonly exported: Record<string, string> = {};

  constructor(
    private readonly cwd: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @returns what was printed; throws with it when a command fails */
  async type(commands: string): Promise<string> {
    const env = { ...this.env, ...this.exported };
    const { stdout, stderr } = await run('bash', ['-e', '-c', commands], {
      cwd: this.cwd,
      env,
      maxBuffer: MOST_BYTES,
    });
    return stdout + stderr;
  }

  /** Something that stays until it is stopped, and what it has printed so far. */
  leave(commands: string): { process: ChildProcess; printed: () => string } {
    const env = { ...this.env, ...this.exported };
    // `exec`, so that Ctrl-C reaches what was typed
    const process = spawn('bash', ['-c', `exec ${commands.trim()}`], { cwd: this.cwd, env, detached: true });
    let printed = '';
    for (const stream of [process.stdout, process.stderr]) stream.on('data', (text) => (printed += text));
    return { process, printed: () => printed };
  }
}

/** As a terminal does it: to everything that was started there. */
export async function pressCtrlC(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  process.kill(-child.pid!, 'SIGINT');
  await exited;
}
