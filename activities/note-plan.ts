import { subjectOf } from '../domain/subject';
import { calmAlerts } from '../store/alerts';
import type { Channel } from '../store/channels';
import { noteEmptyRun } from '../store/channel-trouble';
import type { Store } from '../store/connect';
import type { PlannedWindow } from './plan-run';

/** What a plan says of a channel's health: an empty run is fresh, and what is not planned cannot fail any more. */
export async function notePlan(
  store: Store,
  { _id: channel, name }: Channel,
  windows: PlannedWindow[],
): Promise<void> {
  if (windows.length === 0) await noteEmptyRun(store, channel);
  const planned = new Set<string>(windows.map(subjectOf));
  const message = `${name}: nothing is left to send of what failed`;
  await calmAlerts(store, { channel, message, isCalm: (subject) => !planned.has(subject) }, new Date());
}
