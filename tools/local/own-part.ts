import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { rememberProcess, stopLeftover } from './leftover';
import type { Part } from './part';
import { waitUntil } from './wait-until';

/** How to start a part and how to know that it answers. */
export interface Recipe {
  name: string;
  how: Part['how'];
  command: string;
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Where its output goes: a file, or line by line to whoever shows it. */
  output: string | ((line: string) => void);
  pidFile: string;
  /** Throws until the part answers. */
  ready: () => Promise<void>;
  graceMs: number;
  log: (line: string) => void;
}

const READY_MS = 60_000;
const LOG_BYTES = 10_000_000;

/** A part we run as a child process. */
export class OwnPart implements Part {
  private child: ChildProcess | undefined;
  private exit: Promise<string> = Promise.resolve('it is not running');

  constructor(private readonly recipe: Recipe) {}

  get name(): string {
    return this.recipe.name;
  }

  get how(): Part['how'] {
    return this.recipe.how;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  gone(): Promise<string> {
    return this.exit;
  }

  async start(): Promise<void> {
    if (this.child) return;
    const { name, pidFile, ready, log } = this.recipe;
    await stopLeftover(pidFile, name, log);
    this.spawn();
    const over = new AbortController();
    const early = this.exit.then((reason) => Promise.reject(new Error(reason)));
    try {
      await Promise.race([waitUntil(ready, READY_MS, over.signal), early]);
    } catch (error) {
      await this.kill();
      throw new Error(`${name} did not start: ${(error as Error).message}${this.lastOutput()}`);
    } finally {
      over.abort();
      early.catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    const tooLong = setTimeout(() => this.child?.kill('SIGKILL'), this.recipe.graceMs);
    this.child?.kill('SIGTERM');
    await this.exit;
    clearTimeout(tooLong);
  }

  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.exit;
  }

  private spawn(): void {
    const { command, args, cwd, env, output, pidFile } = this.recipe;
    const file = typeof output === 'string' ? openLog(output) : undefined;
    const stdio: StdioOptions = file === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', file, file];
    const child = spawn(command, args, { cwd, stdio, ...(env && { env }) });
    if (file !== undefined) closeSync(file);
    if (typeof output === 'function') {
      for (const input of [child.stdout, child.stderr])
        if (input) createInterface({ input }).on('line', output);
    }
    if (child.pid !== undefined) rememberProcess(pidFile, child.pid);
    this.child = child;
    this.exit = new Promise((resolve) => {
      const ended = (reason: string) => {
        this.child = undefined;
        resolve(reason);
      };
      child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
      child.once('error', (error) => child.pid === undefined && ended(error.message));
    });
  }

  private lastOutput(): string {
    const { output } = this.recipe;
    if (typeof output !== 'string') return '';
    return `; ${output} ends:\n${readFileSync(output, 'utf8').trim().split('\n').slice(-15).join('\n')}`;
  }
}

function openLog(file: string): number {
  if (existsSync(file) && statSync(file).size > LOG_BYTES) renameSync(file, `${file}.old`);
  return openSync(file, 'a');
}
