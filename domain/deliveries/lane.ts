import type { EntityType } from '../records/entity-types';
import { timeOfDay } from '../time/instants';

/** What one entity type of a channel is doing, as its workflow reports it and operators see it. */
export interface LaneView {
  entity_type: EntityType;
  /** `held`: until the end of the customer's Retry-After. `waiting`: an open delivery waits for its next attempt. */
  state: 'idle' | 'delivering' | 'waiting' | 'held' | 'paused';
  /** When it continues by itself, in RFC 3339; null where that is unknown. */
  until: string | null;
  /** What is `delivering`; for `waiting`, the customer's answer. */
  why: string | null;
}

/** What each entity type of a channel is doing, or why that is unknown. */
export type Lanes = { known: LaneView[] } | { known: null; why: string };

/** "idle until 10:05:30", "waiting: Acme answered 503, next try 10:05:30", "held back until 11:00:00". Times are UTC. */
export function describeLane({ state, until, why }: LaneView): string {
  const at = until === null ? undefined : timeOfDay(until);
  switch (state) {
    case 'idle':
      return at ? `idle until ${at}` : 'idle';
    case 'delivering':
      return why ? `delivering ${why}` : 'delivering';
    case 'waiting':
      return `waiting: ${why ?? 'for the customer'}${at ? `, next try ${at}` : ''}`;
    case 'held':
      return `held back until ${at ?? 'the customer is ready'}`;
    case 'paused':
      return 'paused';
  }
}

/** `describeLane` for one entity type, or `not known`. */
export function describeLaneOf({ known }: Lanes, type: EntityType): string {
  const lane = known?.find(({ entity_type }) => entity_type === type);
  return lane ? describeLane(lane) : 'not known';
}
