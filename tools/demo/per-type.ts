import type { EntityType } from '../../domain/records/entity-types';

/** One of something for each entity type. */
export function perType<T>(make: (type: EntityType) => T): Record<EntityType, T> {
  return {
    accounts: make('accounts'),
    contracts: make('contracts'),
    tickets: make('tickets'),
    settlements: make('settlements'),
  };
}
