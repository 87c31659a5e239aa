import type { PlannedWindow } from '../domain/delivery';
import type { EntityType } from '../domain/entity-types';
import { subjectOf } from '../domain/subject';
import { resolveAlerts } from '../store/alerts/alerts';
import type { Channel } from '../store/channels/channels';
import { noteEmptyRun } from '../store/deliveries/channel-health';
import type { Store } from '../store/store';

/**
 * Records what a plan says of a channel's health: an empty run of all entity types makes it fresh, and the alerts of
 * planned types that have nothing to send are resolved.
 */
export async function notePlan(
  store: Store,
  { _id: channel, name, entity_types }: Channel,
  { planned, windows }: { planned: EntityType[]; windows: PlannedWindow[] },
): Promise<void> {
  if (windows.length === 0 && planned.length === entity_types.length) await noteEmptyRun(store, channel);
  const full = new Set<string>(windows.map(subjectOf));
  // Types that are being delivered or held back may still fail.
  const others = new Set<string>(
    entity_types.filter((type) => !planned.includes(type)).flatMap((entity_type) => subjectsOf(entity_type)),
  );
  const isResolved = (subject: string) => !full.has(subject) && !others.has(subject);
  const message = `${name}: nothing is left to send of what failed`;
  await resolveAlerts(store, { channel, message, isResolved }, new Date());
}

const subjectsOf = (entity_type: EntityType) =>
  [false, true].map((catch_up) => subjectOf({ entity_type, catch_up }));
