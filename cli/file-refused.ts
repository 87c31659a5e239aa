import { CliError } from './cli-error';
import { EXIT, type ExitCode } from './exit-codes';
import { FileProblem } from './text-file/file-problem';

/** For `.catch`: says what the file system refused, with its code, or why it is no text. Any other error stays as it is. */
export const fileRefused =
  (what: string, advice: string, exitCode: ExitCode = EXIT.failed) =>
  (error: unknown): never => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof FileProblem) throw new CliError(`${what}: ${error.message}`, advice, exitCode);
    throw code && syscall ? new CliError(`${what} (${code})`, advice, exitCode) : error;
  };

/** Of a file or folder to push. */
export const unreadable = (file: string) =>
  fileRefused(`${file} cannot be read`, 'check that it is there and that gdx may read it');
