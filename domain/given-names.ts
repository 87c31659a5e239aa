import { REFERENCES } from './canonical-json';
import type { MessageCollector } from './validation-messages';

const MAX_KEY_SHOWN = 64;

// Under these names a customer reads what the feed itself says; an ERP's member of such a name could forge it.
const GIVEN = new Map([
  ...[...REFERENCES].map(
    ([key, shown]) => [shown, `is a name that the feed gives: send the other record’s id as ${key}`] as const,
  ),
  ...['company', 'remote_id'].map((name) => [name, 'is a name that the feed gives'] as const),
]);

export const GIVEN_NAMES = [...GIVEN.keys()];

/**
 * Adds every member, at any depth, that has a name which the feed gives (docs/contract.md E12). The name is compared
 * exactly: an `id` inside a line is the ERP's own.
 */
export function refuseGivenNames(value: unknown, path: string, found: MessageCollector): void {
  if (typeof value !== 'object' || value === null || found.full) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (typeof value[i] === 'object') refuseGivenNames(value[i], `${path}[${i}]`, found);
    }
    return;
  }
  // Not Object.entries, whose pairs cost as much as the rest of the validation.
  for (const key in value) {
    const message = GIVEN.get(key);
    const member = (value as Record<string, unknown>)[key];
    if (message) found.add(`${path}.${key}`, message);
    else if (typeof member === 'object')
      refuseGivenNames(member, `${path}.${key.slice(0, MAX_KEY_SHOWN)}`, found);
  }
}
