import { REFERENCES } from './canonical-json';
import type { MessageCollector } from './validation-messages';

const MAX_KEY_SHOWN = 64;

// The service writes the members of these names itself. A member of the ERP with such a name could forge them.
const GIVEN = new Map([
  ...[...REFERENCES].map(
    ([key, shown]) => [shown, `is a name that the feed gives: send the other record’s id as ${key}`] as const,
  ),
  ...['company', 'remote_id'].map((name) => [name, 'is a name that the feed gives'] as const),
]);

export const GIVEN_NAMES = [...GIVEN.keys()];

/**
 * Adds a message for every member, at any depth, whose name is reserved for the service (docs/contract.md E12). Names
 * are compared exactly: an `id` inside a line is the ERP's own.
 */
export function refuseGivenNames(value: unknown, path: string, found: MessageCollector): void {
  if (typeof value !== 'object' || value === null || found.full) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (typeof value[i] === 'object') refuseGivenNames(value[i], `${path}[${i}]`, found);
    }
    return;
  }
  // A plain loop, because the pairs of Object.entries cost as much as the rest of the validation.
  for (const key in value) {
    const message = GIVEN.get(key);
    const member = (value as Record<string, unknown>)[key];
    if (message) found.add(`${path}.${key}`, message);
    else if (typeof member === 'object')
      refuseGivenNames(member, `${path}.${key.slice(0, MAX_KEY_SHOWN)}`, found);
  }
}
