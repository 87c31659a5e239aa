import { EXIT, type ExitCode } from './exit-codes';

/** What `gdx` could not do, and what the operator can try (operators: every error ends with that). */
export class Failure extends Error {
  override name = 'Failure';

  constructor(
    message: string,
    readonly advice: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
