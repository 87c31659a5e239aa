import type { MessageCollector } from '../../domain/validation-messages';

/** The query parameter `dry_run`: what would be done, and nothing is. */
export function readDryRun(given: unknown = 'false', found: MessageCollector): boolean {
  if (given !== 'true' && given !== 'false') found.add('dry_run', 'must be true or false');
  return given === 'true';
}
