import type { EntityType } from './entity-types';

/** What is delivered, or fails, under one name: an entity type, or the catch-ups of one. */
export const subjectOf = (window: { entity_type: EntityType; catch_up: boolean }) =>
  window.catch_up ? (`${window.entity_type} catch-up` as const) : window.entity_type;
export type Subject = ReturnType<typeof subjectOf>;
