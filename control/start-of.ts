import { hasCome } from '../domain/time/elapsed';
import type { EntityType } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import type { Channel } from '../store/channels/channels';
import { readMarkers } from '../store/markers/markers';
import type { Parts } from './record-action';

/** When the first page asked for leaves: `now`, at an instant, with the `next_run`, or once a `paused` channel is resumed. */
export async function startOf(
  { store }: Pick<Parts, 'store'>,
  { _id: slug, state, delivery }: Channel,
  type: EntityType,
  signalled: boolean,
): Promise<string> {
  if (state === 'paused') return 'paused';
  if (!signalled) return 'next_run';
  if (delivery === 'pull') return 'now';
  const held = (await readMarkers(store, slug)).get(type)?.not_before;
  return held && !hasCome(held) ? formatInstant(held) : 'now';
}

/** Whether Temporal answers. */
export const reachesTemporal = ({ temporal }: Pick<Parts, 'temporal'>): Promise<boolean> =>
  temporal.ping().then(
    () => true,
    () => false,
  );
