import type { MessageCollector } from '../../domain/records/validation-messages';

/** Reads the query parameter `dry_run`. If true, the answer says what would be done, and nothing is done. */
export function readDryRun(given: unknown = 'false', found: MessageCollector): boolean {
  if (given !== 'true' && given !== 'false') found.add('dry_run', 'must be true or false');
  return given === 'true';
}
