import { CommanderError } from 'commander';
import { unseenNamed } from '../domain/text/pasted-text';
import { CliError, EXIT, type ExitCode, UsageError } from './cli-error';

/** Any error as one line and an exit code; no line when the help was printed. */
export async function explainError(
  error: unknown,
  /** Explains errors of the database. */
  ofStore: (error: Error) => Promise<CliError | undefined> = async () => undefined,
): Promise<{ line?: string; exitCode: ExitCode }> {
  if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: EXIT.ok };
  // A command group without a command: commander has printed the help.
  if (error instanceof CommanderError && error.code === 'commander.help') return { exitCode: EXIT.usage };
  const failure = error instanceof CliError ? error : await toCliError(error as Error, ofStore);
  const line = `${failure.message.replace(/\.$/, '')}; ${failure.advice}`.replace(/\s*\n\s*/g, ' ');
  return { line: unseenNamed(line), exitCode: failure.exitCode };
}

async function toCliError(
  error: Error,
  ofStore: (error: Error) => Promise<CliError | undefined>,
): Promise<CliError> {
  const { name, message } = error;
  if (error instanceof CommanderError) {
    return new UsageError(withoutSecrets(message).replace(/^error: /, ''), 'add --help to see how');
  }
  const known = await ofStore(error);
  if (known) return known;
  return new CliError(
    `unexpected ${name}: ${message} (${firstStackFrame(error)})`,
    'this is a defect of gdx: please report this line',
  );
}

// A wrong value of these is often a secret or a phone with one wrong character.
const NEVER_REPEATED = /for argument 'phone'|^error: option '--(?:authorization|header) /;

/** Removes secrets and phones from Commander's message, which repeats what was typed. */
const withoutSecrets = (message: string) =>
  NEVER_REPEATED.test(message)
    ? message.replace(/ (value|argument) '[^]*' is invalid/, ' $1 is invalid')
    : message;

const firstStackFrame = ({ stack = '' }: Error) => /^\s*(at .*)/m.exec(stack)?.[1];
