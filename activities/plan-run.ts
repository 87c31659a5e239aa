import type { ClientSession } from 'mongodb';
import { formatInstant } from '../domain/instants';
import type { EntityType } from '../domain/entity-types';
import { leftOf, listCatchUps } from '../store/catch-ups';
import { type Channel, findChannel, pageSizeOf, takeRun } from '../store/channels';
import type { Store } from '../store/connect';
import { readCeilings } from '../store/counters';
import { ensureMarkers, skipEmptyWindow, type Marker } from '../store/markers';
import { countReleased } from '../store/set-aside';
import { readSelection, type Selection } from '../store/selection';
import { finishGrants } from '../store/grant-and-revoke';
import { countWindow } from '../store/window';
import type { Trigger } from '../workflows/messages';
import { notePlan } from './note-plan';
import { withHeartbeat } from './with-heartbeat';

/** One window with something in it: positions above `from`, up to and including `to`. */
export interface PlannedWindow {
  entity_type: EntityType;
  /** The catch-ups of newly granted accounts, and what was released, instead of the channel's own window. */
  catch_up: boolean;
  generation: number;
  from: number;
  to: number;
  records: number;
}

/** One pass over a channel's windows. Only counts, positions and ids: it goes into the history (design 3). */
export type RunPlan =
  | { state: 'gone' }
  | { state: 'paused'; name: string; cadence_ms: number; reason: string; markers: MarkerSummary[] }
  | {
      state: 'active';
      name: string;
      cadence_ms: number;
      page_size: number;
      run: number;
      windows: PlannedWindow[];
      not_before: string | null;
      markers: MarkerSummary[];
    };

/** A row of the operator's table. */
export interface MarkerSummary {
  entity_type: EntityType;
  confirmed_to: string | null;
  delivered_at: string | null;
}

/** Plans a channel's run: reads the ceilings first, then the markers, then counts (commit-order 2). */
export function createPlanRun({ store }: { store: Store }) {
  return async function planRun(input: { slug: string; trigger: Trigger }): Promise<RunPlan> {
    // One causal session: a count that lagged behind the ceiling would pass over records (commit-order 2).
    return withHeartbeat(() =>
      store.client.withSession({ causalConsistency: true }, (session) =>
        plan(store, session, input.slug, input.trigger),
      ),
    );
  };
}

async function plan(store: Store, session: ClientSession, slug: string, trigger: Trigger): Promise<RunPlan> {
  const channel = await findChannel(store, slug);
  if (!channel) return { state: 'gone' };
  if (channel.scope === 'subscribed') await finishGrants(store, channel);
  const ceilings = await readCeilings(store, session);
  const found = await ensureMarkers(store, slug, channel.entity_types, session);
  const markers = channel.entity_types.flatMap((type) => found.get(type) ?? []);
  const told = { name: channel.name, cadence_ms: channel.cadence_ms, markers: markers.map(summary) };
  if (channel.state === 'paused') {
    return { state: 'paused', reason: channel.paused?.reason ?? '', ...told };
  }
  const notBefore = trigger === 'deliver-now' ? undefined : laterThanNow(channel.not_before);
  const windows: PlannedWindow[] = [];
  const selection = await readSelection(store, channel, session);
  for (const marker of notBefore ? [] : markers) {
    const window = await planWindow(store, session, selection, marker, ceilings[marker.entity_type]);
    if (window) windows.push(window);
  }
  if (!notBefore) windows.push(...(await planCatchUps(store, channel)));
  if (!notBefore) await notePlan(store, channel, windows);
  const run = windows.length > 0 ? await takeRun(store, slug) : channel.run;
  return {
    state: 'active',
    page_size: pageSizeOf(channel, Date.now()),
    run,
    windows,
    not_before: notBefore ? formatInstant(notBefore) : null,
    ...told,
  };
}

async function planWindow(
  store: Store,
  session: ClientSession,
  selection: Selection,
  marker: Marker,
  ceiling: number,
): Promise<PlannedWindow | undefined> {
  if (ceiling <= marker.position) return undefined;
  const { entity_type, generation, position: from } = marker;
  const window = { after: from, upTo: ceiling };
  const records = await countWindow(store, entity_type, window, selection, session);
  if (records === 0) {
    await skipEmptyWindow(store, marker, ceiling);
    return undefined;
  }
  return { entity_type, catch_up: false, generation, from, to: ceiling, records };
}

async function planCatchUps(store: Store, channel: Channel): Promise<PlannedWindow[]> {
  const due = await listCatchUps(store, channel._id);
  const released = await countReleased(store, channel._id);
  return channel.entity_types.flatMap((entity_type) => {
    const ofType = due.filter((catchUp) => catchUp.entity_type === entity_type);
    const again = released.get(entity_type) ?? 0;
    if (ofType.length === 0 && again === 0) return [];
    const to = Math.max(0, ...ofType.map(({ until }) => until));
    const records = ofType.reduce((sum, catchUp) => sum + leftOf(catchUp), again);
    return { entity_type, catch_up: true, generation: 0, from: 0, to, records };
  });
}

const summary = (marker: Marker): MarkerSummary => ({
  entity_type: marker.entity_type,
  confirmed_to: marker.timestamp && formatInstant(marker.timestamp),
  delivered_at: marker.delivered_at && formatInstant(marker.delivered_at),
});

const laterThanNow = (instant: Date | undefined) =>
  instant && instant.getTime() > Date.now() ? instant : undefined;
