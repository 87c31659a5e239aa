import { StoreMismatch } from '../store/store-mismatch';
import { isUnavailable } from '../store/unavailable';
import { CliError, EXIT } from '../client/cli-error';

/** Explains an error of the database; undefined for any other error. */
export function explainStoreError(error: Error): CliError | undefined {
  if (error instanceof StoreMismatch) return new CliError(error.problem, error.advice, EXIT.configuration);
  if (isUnavailable(error))
    return new CliError(
      `MongoDB does not answer (${error.message})`,
      'start it, or check MONGODB_URI',
      EXIT.unavailable,
    );
  if (!error.name.startsWith('Mongo')) return undefined;
  return new CliError(`MongoDB refused: ${error.message}`, 'check MONGODB_URI and what its user may do');
}
