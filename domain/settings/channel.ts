import { ENTITY_TYPES, type EntityType } from '../records/entity-types';

export const SCOPES = ['all', 'subscribed'] as const;
export type Scope = (typeof SCOPES)[number];

/** A farmer's consent does not cover settlements unless the channel names them. */
export const DEFAULT_ENTITY_TYPES: Record<Scope, readonly EntityType[]> = {
  all: ENTITY_TYPES,
  subscribed: ['accounts', 'contracts', 'tickets'],
};

export const PAGE_SIZE_RANGE = { default: 1000, min: 1, max: 5000 } as const;

/** Lower case letters, digits and inner hyphens: a slug is part of URLs and workflow ids. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}
