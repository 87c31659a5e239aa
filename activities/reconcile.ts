import { timeNow } from '../domain/time/elapsed';
import { reconciledAt } from '../telemetry/instruments';
import { linkActions } from '../store/consent/action-chain';
import { countUnsent, resolveAllOf } from '../store/alerts/alerts';
import { countUntold } from '../store/alerts/customer-notices';
import { type Channel, channelPages, listClosed } from '../store/channels/channels';
import { forgetClosed } from '../store/sharing/close-channel';
import type { ChannelWorkflows } from './channel-workflows';
import { createPostHeads } from './post-heads';
import type { AlertDeps } from './send-alert';
import { watchChannels, watchIntegrations, watchSharingCodes } from './watch';

export interface Reconciled {
  channels: number;
  started: number;
  /** Missing workflows that Temporal did not accept in time; the next pass starts them. */
  unstarted: number;
  stopped: number;
  /** Workflows without a channel that were not stopped this time. */
  left: number;
  why_left: string | null;
  /** Alerts with unsent notices. */
  unsent: number;
  /** Notices to customers that are due, and alerts that are not yet handed on to customers. */
  untold: number;
}

/**
 * Compares the channels in MongoDB with the running workflows: starts missing ones and stops extra ones. Also
 * raises the alerts that no delivery raises (watch.ts), and links what operators did, and posts the heads. Works page by
 * page, so that memory does not grow with the number of channels.
 */
export function createReconcile(deps: AlertDeps & { temporal: ChannelWorkflows; began?: Date }) {
  const { store, temporal, log, began } = deps;
  return async function reconcile(): Promise<Reconciled> {
    const postHeads = createPostHeads(deps);
    await linkActions(store, timeNow());
    // Listed first, so that a channel added concurrently is not taken for a removed one.
    const running = new Set(await temporal.runningChannels());
    const extra = new Set(running);
    const counted = { channels: 0, started: 0, unstarted: 0 };
    for await (const page of channelPages(store)) {
      for (const { _id, cadence_ms } of page) {
        extra.delete(_id);
        if (running.has(_id)) continue;
        if (await temporal.ensureRunning(_id, cadence_ms)) counted.started += 1;
        else counted.unstarted += 1;
      }
      counted.channels += page.length;
      await watchChannels(store, page, timeNow(), began);
      await postHeads(page, timeNow());
    }
    const closed = await listClosed(store);
    const closing = closed.filter(({ _id }) => extra.delete(_id));
    for (const { _id } of closing) await temporal.stop(_id);
    for (const channel of closed) await endClosed(deps, channel);
    await postHeads(closed, timeNow());
    await postHeads([], timeNow()); // of the actions and erasures, even where there is no channel
    await watchIntegrations(store, timeNow());
    await watchSharingCodes(store, timeNow());
    const { most, why } = mayStop(counted.channels, running.size);
    const stopping = [...extra].slice(0, most);
    for (const slug of stopping) await temporal.stop(slug);
    const left = extra.size - stopping.length;
    const unsent = await countUnsent(store);
    const untold = await countUntold(store, timeNow());
    const stopped = closing.length + stopping.length;
    const result = { ...counted, stopped, left, why_left: left > 0 ? why : null, unsent, untold };
    reconciledAt.setToCurrentTime();
    if (counted.started + counted.unstarted + closing.length + extra.size > 0)
      log.warn(result, 'channels reconciled');
    return result;
  };
}

async function endClosed({ store, log }: AlertDeps, channel: Channel): Promise<void> {
  const { _id: slug, name, closed } = channel;
  if (!closed || closed.forgotten_at) return;
  await resolveAllOf(store, slug, `${name} was closed: it is not watched any more`, timeNow());
  if (await forgetClosed(store, channel, timeNow()))
    log.info({ channel: slug }, 'a closed channel is forgotten');
}

const TENTH = 0.1;

/** How many workflows a pass may stop: a worker on an empty or wrong database must not cancel every feed. */
function mayStop(channels: number, running: number): { most: number; why: string } {
  if (channels === 0)
    return { most: 0, why: 'MongoDB holds no channel at all: is it the right database? Nothing is stopped' };
  const most = Math.max(1, Math.floor(running * TENTH));
  const why =
    'at most a tenth of the running channels are stopped per pass: is it the right database? The next pass continues';
  return { most, why };
}
