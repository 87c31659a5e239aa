import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes';
import { Failure } from './failure';

/** Any error as the one line and the exit code that the operator gets; no line where the help has been shown. */
export async function explainError(error: unknown): Promise<{ line?: string; exitCode: ExitCode }> {
  if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: EXIT.ok };
  // A group without its verb: commander has shown the help.
  if (error instanceof CommanderError && error.code === 'commander.help') return { exitCode: EXIT.usage };
  const failure = error instanceof Failure ? error : await asFailure(error as Error);
  const line = `${failure.message.replace(/\.$/, '')}; ${failure.advice}`.replace(/\s*\n\s*/g, ' ');
  return { line, exitCode: failure.exitCode };
}

async function asFailure(error: Error): Promise<Failure> {
  const { name, message } = error;
  if (error instanceof CommanderError) {
    return new Failure(message.replace(/^error: /, ''), 'add --help to see how', EXIT.usage);
  }
  const { StoreMismatch } = await import('../store/store-mismatch.js');
  if (error instanceof StoreMismatch) return new Failure(error.problem, error.advice, EXIT.configuration);
  const { isUnavailable } = await import('../store/unavailable.js');
  if (isUnavailable(error)) {
    return new Failure(
      `MongoDB does not answer (${message})`,
      'start it, or check MONGODB_URI',
      EXIT.unavailable,
    );
  }
  if (name.startsWith('Mongo')) {
    return new Failure(`MongoDB refused: ${message}`, 'check MONGODB_URI and what its user may do');
  }
  return new Failure(
    `unexpected ${name}: ${message} (${firstFrame(error)})`,
    'this is a defect of gdx: please report this line',
  );
}

function firstFrame(error: Error): string | undefined {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines.find((line) => line.startsWith('at '));
}
