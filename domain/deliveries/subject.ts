import type { EntityType } from '../records/entity-types';

/** The subject of deliveries and alerts: an entity type, or its catch-ups. */
export const subjectOf = (window: { entity_type: EntityType; catch_up: boolean }) =>
  window.catch_up ? (`${window.entity_type} catch-up` as const) : window.entity_type;
export type Subject = ReturnType<typeof subjectOf>;
