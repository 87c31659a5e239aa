import type { MessageCollector } from '../../domain/validation-messages';

/** The query parameter `dry_run`: answers what would be done, and does nothing. */
export function readDryRun(given: unknown = 'false', found: MessageCollector): boolean {
  if (given !== 'true' && given !== 'false') found.add('dry_run', 'must be true or false');
  return given === 'true';
}
