import { FileProblem } from './file-problem';

/** Exit codes of `gdx` (docs/contract.md O9); 69, 75 and 78 are from sysexits.h. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 69, stopped: 75, configuration: 78 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error of `gdx`, with advice for the operator, which ends every error line (docs/contract.md O9). */
export class CliError extends Error {
  override name = 'CliError';

  constructor(
    message: string,
    readonly advice: string,
    readonly exitCode: ExitCode = EXIT.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An error of whoever called `gdx`: nothing was begun. */
export class UsageError extends CliError {
  constructor(message: string, advice: string) {
    super(message, advice, EXIT.usage);
  }
}

/**
 * Makes a handler for `.catch`, for files that cannot be read or written, or are not text. Other errors stay
 * as they are.
 */
export const fileRefused =
  (what: string, advice: string, exitCode: ExitCode = EXIT.failed) =>
  (error: unknown): never => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof FileProblem) throw new CliError(`${what}: ${error.message}`, advice, exitCode);
    throw code && syscall ? new CliError(`${what} (${code})`, advice, exitCode, { cause: error }) : error;
  };

/** The handler for a file or folder to push. */
export const unreadable = (file: string) =>
  fileRefused(`${file} cannot be read`, 'check that it is there and that gdx may read it');
