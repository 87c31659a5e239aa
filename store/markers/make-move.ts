import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { clearSetAside, forgetReleased, type KnownAside, type Released } from '../deliveries/set-aside';
import type { Store } from '../store';
import { finishCatchUps } from './catch-ups';
import { type Fence, markerId, type MarkerMove, moveMarker, noteDelivered } from './markers';

/** All that the confirmation of a page changes, wherever it arrives: at the worker that has posted it, or at the API. */
export interface PageMove {
  channel: string;
  entity_type: EntityType;
  /** The attempt that made the page. For released records that are collected, the own marker's, which does not move. Absent for posted ones. */
  fence?: Fence;
  /** Missing for released records, and where several accounts share the page. */
  to?: MarkerMove;
  /** The catch-ups that the page completes. Each ends in its own epoch, independently of the others. */
  ends?: Fence[];
  /** Records of the page that were set aside when it was made. */
  set_aside: KnownAside[];
  released: Pick<Released, 'record' | 'released_at'>[];
}

/** @returns false when a newer epoch, a reset or a revoke has taken over; outside a transaction some changes may already be made */
export async function makeMove(
  store: Store,
  { fence, to, ends = [], set_aside, released, ...lane }: PageMove,
  session?: ClientSession,
): Promise<boolean> {
  // First, as a worker may die before the next: what is confirmed is set aside no longer, whoever moves the marker past it.
  if (set_aside.length > 0) await clearSetAside(store, lane, set_aside, session);
  const own = markerId(lane.channel, lane.entity_type);
  if (fence && to && !(await moveMarker(store, fence, to, session))) return false;
  if (ends.length > 0 && (await finishCatchUps(store, ends, session)) === 0) return false;
  if (!to || fence?.id !== own) {
    const isOwn = fence?.id === own;
    const isNoted = await noteDelivered(store, own, isOwn ? fence.epoch : undefined, session);
    if (fence && !isNoted) return false;
  }
  if (released.length > 0) await forgetReleased(store, lane, released, session);
  return true;
}
