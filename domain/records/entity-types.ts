/** The four entity types, in the order in which a push takes their counters and a run delivers them. */
export const ENTITY_TYPES = ['accounts', 'contracts', 'tickets', 'settlements'] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

/** The wrapper key of one record in a feed page (docs/contract.md C3). */
export const WRAPPER_KEYS = {
  accounts: 'account',
  contracts: 'contract',
  tickets: 'ticket',
  settlements: 'settlement',
} as const satisfies Record<EntityType, string>;

export function isEntityType(value: unknown): value is EntityType {
  return (ENTITY_TYPES as readonly unknown[]).includes(value);
}
