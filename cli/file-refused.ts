import { CliError } from './cli-error';
import { EXIT, type ExitCode } from './exit-codes';

/** For `.catch`: says what the file system refused, with its code. Any other error stays as it is. */
export const fileRefused =
  (what: string, advice: string, exitCode: ExitCode = EXIT.failed) =>
  (error: unknown): never => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw code && syscall ? new CliError(`${what} (${code})`, advice, exitCode) : error;
  };

/** Of a file or folder to push. */
export const unreadable = (file: string) =>
  fileRefused(`${file} cannot be read`, 'check that it is there and that gdx may read it');
