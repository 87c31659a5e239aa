import { arithmeticWarnings } from './arithmetic-warnings';
import type { RecordType } from './commands';
import type { RecordWarning } from './record-warning';
import { unknownValues } from './unknown-values';

/** Unknown values first, then sums that do not add up. */
export function recordWarnings(type: RecordType, record: Readonly<Record<string, unknown>>): RecordWarning[] {
  return [...unknownValues(type, record), ...arithmeticWarnings(type, record)];
}
