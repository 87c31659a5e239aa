import type { Logger } from 'pino';
import type { Bell } from '../bell/bell';
import { countUnsent } from '../store/alert-outbox';
import { listChannels } from '../store/channels';
import type { Store } from '../store/connect';
import { watchChannels } from './watch-channels';

export interface Reconciled {
  channels: number;
  started: number;
  stopped: number;
  /** Alerts with something to send. */
  unsent: number;
}

/** Channels in MongoDB against running workflows: starts the missing, stops the extra; and watches their freshness. */
export function createReconcile({ store, bell, log }: { store: Store; bell: Bell; log: Logger }) {
  return async function reconcile(): Promise<Reconciled> {
    // First what runs: a channel that is added meanwhile must not look like one that is no more.
    const running = new Set(await bell.runningChannels());
    const channels = await listChannels(store);
    const slugs = new Set(channels.map(({ _id }) => _id));
    const missing = channels.filter(({ _id }) => !running.has(_id));
    const extra = [...running].filter((slug) => !slugs.has(slug));
    for (const { _id, cadence_ms } of missing) await bell.ensureRunning(_id, cadence_ms);
    for (const slug of extra) await bell.stop(slug);
    await watchChannels(store, channels, new Date());
    const unsent = await countUnsent(store);
    const result = { channels: channels.length, started: missing.length, stopped: extra.length, unsent };
    if (missing.length + extra.length > 0) log.warn(result, 'channels reconciled');
    return result;
  };
}
