import { CliError } from './cli-error';

/** @throws CliError when there is no such integration. */
export function requireIntegration<T>(found: T | null, id: string): T {
  if (found !== null) return found;
  throw new CliError(`there is no integration ${id}`, '`gdx integration list` shows them all');
}
