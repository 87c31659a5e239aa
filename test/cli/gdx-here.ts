import { PassThrough, Writable } from 'node:stream';
import { Mutex } from 'async-mutex';

export interface Run {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** stdout as the one JSON document it must be. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what they expect
  json(): any;
}

const oneAtATime = new Mutex();

/** A terminal at which nobody types. */
export const silentTerminal = () => Object.assign(new PassThrough().end(), { isTTY: true });

/** `gdx` in this process, by itself without a terminal: what a process of its own takes half a second of CPU for. */
export function gdxHere(args: string[], env: NodeJS.ProcessEnv, stdin = new PassThrough()): Promise<Run> {
  return oneAtATime.runExclusive(async () => {
    const [stdout, stderr] = [new Heard(), new Heard()];
    const own = { stdin, stdout, stderr };
    const { exitCode: before } = process;
    process.exitCode = 0;
    const restore = Object.entries(own).map(([name, value]) => replace(name, value));
    try {
      const { runGdx } = await import('../../cli/run-gdx.js');
      await runGdx(args, env);
      const exitCode = Number(process.exitCode);
      return { exitCode, stdout: stdout.text, stderr: stderr.text, json: () => JSON.parse(stdout.text) };
    } finally {
      for (const undo of restore) undo();
      process.exitCode = before;
    }
  });
}

/** For the time of one run. */
function replace(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return () => Object.defineProperty(process, name, before);
}

class Heard extends Writable {
  text = '';
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
