import { msNow, msUntil, timeNow } from '../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { MarkerSummary, PlannedWindow, RunPlan, Trigger } from '../domain/deliveries/delivery';
import type { EntityType } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import { subjectOf } from '../domain/deliveries/subject';
import { resolveAlerts } from '../store/alerts/alerts';
import { type Channel, findChannel, leastPageSize, pageSizeOf, takeRun } from '../store/channels/channels';
import { noteEmptyRun } from '../store/deliveries/channel-health';
import { noteComplete } from '../store/digest/complete-through';
import { countReleased } from '../store/deliveries/set-aside';
import { beginCatchUps, listCatchUps, remainingOf } from '../store/markers/catch-ups';
import {
  ensureMarkers,
  type Marker,
  noteFound,
  readMarkers,
  skipEmptyWindow,
} from '../store/markers/markers';
import { noteNothing, readAsks } from '../store/markers/waiting-pages';
import { readCeilings } from '../store/records/counters';
import type { Store } from '../store/store';
import { readSelection } from '../store/window/selection';
import { findInWindow } from '../store/window/window';
import { withHeartbeat } from './current-delivery';
import { MAX_CATCH_UPS } from './deliver/deliver-catch-ups';

interface PlanInput {
  slug: string;
  trigger: Trigger;
  /** The idle entity types; all of the channel's when left out. */
  entity_types?: EntityType[];
}

/**
 * A plan in progress. What decides which records are passed over is read in one causally consistent session,
 * the ceilings before markers and records.
 */
interface Planning {
  store: Store;
  session: ClientSession;
  signal: AbortSignal;
  channel: Channel;
  ceilings: Record<EntityType, number>;
}

/**
 * Plans the idle entity types of a channel. Reads the ceilings, then the markers, then the selection, then the
 * windows between.
 */
export function createPlanRun({ store }: { store: Store }) {
  return async function planRun(input: PlanInput): Promise<RunPlan> {
    return withHeartbeat((_show, signal) =>
      store.client.withSession({ causalConsistency: true }, (session) =>
        plan({ store, session, signal }, input),
      ),
    );
  };
}

async function plan(
  at: Pick<Planning, 'store' | 'session' | 'signal'>,
  { slug, trigger, entity_types }: PlanInput,
): Promise<RunPlan> {
  const { store, session } = at;
  const channel = await findChannel(store, slug, session);
  if (!channel) return { state: 'gone' };
  // Read before the rest: a plan that finds nothing answers only the questions that were asked until then.
  const asks = channel.delivery === 'pull' ? await readAsks(store, slug) : new Map<EntityType, number>();
  const ceilings = await readCeilings(store, session);
  const types = channel.entity_types.filter((type) => entity_types?.includes(type) ?? true);
  const found = await ensureMarkers(store, slug, types, session);
  const markers = types.map((type) => found.get(type)!);
  const { name, cadence_ms, delivery } = channel;
  const shown = { name, cadence_ms, collects: delivery === 'pull', markers: markers.map(summary) };
  if (channel.state === 'paused') {
    return { state: 'paused', reason: channel.paused?.reason ?? '', ...shown };
  }
  // Whoever collects its pages has asked for time, if at all, while they were posted.
  const isHeld = trigger !== 'deliver-now' && delivery !== 'pull';
  const held = isHeld ? markers.flatMap(heldBack) : [];
  const open = types.filter((type) => !held.some(({ entity_type }) => entity_type === type));
  const windows: PlannedWindow[] = [];
  for (const type of open) windows.push(...(await planType({ ...at, channel, ceilings }, type)));
  await notePlan(store, channel, { planned: open, windows });
  for (const [type, asked] of asks) {
    const isEmpty = open.includes(type) && !windows.some(({ entity_type }) => entity_type === type);
    if (isEmpty) await noteNothing(store, slug, type, asked);
  }
  const run = windows.length > 0 ? await takeRun(store, slug) : channel.run;
  return { state: 'active', page_size: leastPageSize(channel, msNow()), run, windows, held, ...shown };
}

/** The channel's own window, then catch-ups and released records. */
async function planType(planning: Planning, type: EntityType): Promise<PlannedWindow[]> {
  const { store, session, channel } = planning;
  const isLeft = channel.scope === 'subscribed' && (await beginCatchUps(store, channel._id, type, session));
  // The marker is read before the selection. An empty window is skipped only while the marker has the epoch
  // that was read here, so never by a selection that is older than that epoch.
  const marker = (await readMarkers(store, channel._id, session)).get(type)!;
  const windows = [await planOwnWindow(planning, marker), await planCatchUps(planning, marker, isLeft)];
  const page_size = pageSizeOf(channel, type, msNow());
  return windows.flatMap((window) => (window ? { ...window, page_size } : []));
}

async function planOwnWindow(
  { store, session, signal, channel, ceilings }: Planning,
  marker: Marker,
): Promise<PlannedWindow | undefined> {
  const { entity_type, generation, position: from, unanswered = false } = marker;
  const ceiling = ceilings[entity_type];
  if (ceiling <= from) return undefined;
  const selection = await readSelection(store, channel, entity_type, session);
  const window = { after: from, upTo: ceiling };
  const { read, ...found } = await findInWindow(store, entity_type, window, selection, { session, signal });
  await noteFound(store, marker, found);
  const { records, to, more } = found;
  if (records === 0) {
    await skipEmptyWindow(store, marker, to);
    return undefined;
  }
  return { entity_type, catch_up: false, generation, from, to, records, read, more, unanswered };
}

async function planCatchUps(
  { store, session, channel }: Planning,
  { entity_type, unanswered = false }: Marker,
  isLeft: boolean,
): Promise<PlannedWindow | undefined> {
  const limit = MAX_CATCH_UPS;
  const begun = await listCatchUps(store, channel._id, entity_type, { limit, session });
  const released = await countReleased(store, { channel: channel._id, entity_type });
  if (begun.length === 0 && released === 0) return undefined;
  const to = Math.max(0, ...begun.map(({ until }) => until));
  const records = begun.reduce((sum, catchUp) => sum + remainingOf(catchUp), released);
  const more = isLeft || begun.length === limit;
  return {
    entity_type,
    catch_up: true,
    generation: 0,
    from: 0,
    to,
    records,
    read: 'positions',
    more,
    unanswered,
  };
}

function heldBack({ entity_type, not_before }: Marker) {
  const left_ms = not_before ? msUntil(not_before) : 0;
  return left_ms > 0 ? [{ entity_type, left_ms }] : [];
}

const summary = ({ entity_type, timestamp, delivered_at }: Marker): MarkerSummary => ({
  entity_type,
  confirmed_to: timestamp && formatInstant(timestamp),
  delivered_at: delivered_at && formatInstant(delivered_at),
});

/**
 * Records what a plan says of a channel's health: an empty run of all entity types makes it fresh, and the alerts of
 * planned types that have nothing to send are resolved.
 */
export async function notePlan(
  store: Store,
  { _id: channel, name, entity_types }: Channel,
  { planned, windows }: { planned: EntityType[]; windows: PlannedWindow[] },
): Promise<void> {
  if (windows.length === 0 && planned.length === entity_types.length) {
    await noteComplete(store, channel);
    await noteEmptyRun(store, channel);
  }
  const full = new Set<string>(windows.map(subjectOf));
  // Types that are being delivered or held back may still fail.
  const others = new Set<string>(
    entity_types.filter((type) => !planned.includes(type)).flatMap((entity_type) => subjectsOf(entity_type)),
  );
  const isResolved = (subject: string) => !full.has(subject) && !others.has(subject);
  const message = `${name}: nothing is left to send of what failed`;
  await resolveAlerts(store, { channel, message, isResolved }, timeNow());
}

const subjectsOf = (entity_type: EntityType) =>
  [false, true].map((catch_up) => subjectOf({ entity_type, catch_up }));
