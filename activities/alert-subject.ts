import type { EntityType } from '../domain/entity-types';

/** What an alert says is failing: an entity type, or the catch-ups of one, which can fail for themselves. */
export const alertSubject = ({ entity_type, catch_up }: { entity_type: EntityType; catch_up: boolean }) =>
  catch_up ? `${entity_type} catch-up` : entity_type;
