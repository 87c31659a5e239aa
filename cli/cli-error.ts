import { EXIT, type ExitCode } from './exit-codes';

/** An error of `gdx`, with advice for the operator, which ends every error line (docs/contract.md O9). */
export class CliError extends Error {
  override name = 'CliError';

  constructor(
    message: string,
    readonly advice: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
