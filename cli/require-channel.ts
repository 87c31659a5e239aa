import { CliError } from './cli-error';

/** @throws CliError when there is no such channel. */
export function requireChannel<T>(found: T | null, slug: string): T {
  if (found !== null) return found;
  throw new CliError(`there is no channel ${slug}`, '`gdx channel list` shows them all');
}
