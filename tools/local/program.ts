import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Where a program came from: a given address, PATH, or a download. */
export type How = 'given' | 'path' | 'download' | 'pypi';

/** A program that can be started: `command args... <its own flags>`. */
export interface Program {
  how: How;
  /** The kind of data it writes; no other kind may open that data. */
  kind: string;
  version: string;
  command: string;
  args: string[];
}

/** One way to find a program. @throws Error with the reason when it fails */
export type FindProgram = () => Promise<Program>;

/**
 * The first program found.
 * @throws Error with what to install, and why each step failed.
 */
export async function firstThatAnswers(steps: FindProgram[], advice: string): Promise<Program> {
  const reasons: string[] = [];
  for (const step of steps) {
    try {
      return await step();
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new Error(`${advice}\nTried:\n${reasons.map((reason) => `  - ${reason}`).join('\n')}`);
}

/** A program that answers `--version`, by name (looked up on PATH) or by path. */
export async function askVersion(kind: string, how: How, command = kind): Promise<Program> {
  const { stdout } = await promisify(execFile)(command, ['--version'], { timeout: 15_000 }).catch(
    (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'is not on PATH' : `does not run: ${error.message.trim()}`;
      throw new Error(`${kind} ${reason}`);
    },
  );
  return { how, kind, version: /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? '', command, args: [] };
}
