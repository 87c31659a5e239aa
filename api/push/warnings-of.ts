import { arithmeticWarnings } from '../../domain/arithmetic-warnings';
import { ENTITY_TYPES } from '../../domain/entity-types';
import type { Push } from '../../domain/validate-push';

const SHOWN = 3;

/** Sums that do not add up, for the log line: how many, and the first few. Never a refusal (records.md). */
export function warningsOf(push: Push): { warnings?: number; first_warnings?: string[] } {
  const shown: string[] = [];
  let warnings = 0;
  for (const type of ENTITY_TYPES) {
    for (const record of push.records[type]) {
      for (const warning of arithmeticWarnings(type, record)) {
        if (++warnings <= SHOWN) shown.push(`${type} ${record.id}: ${warning}`);
      }
    }
  }
  return warnings > 0 ? { warnings, first_warnings: shown } : {};
}
