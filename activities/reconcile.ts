import type { Logger } from 'pino';
import type { Bell } from '../bell/bell';
import { listChannels } from '../store/channels';
import type { Store } from '../store/connect';

export interface Reconciled {
  channels: number;
  started: number;
  stopped: number;
}

/** Channels in MongoDB against running workflows: starts the missing, stops the extra, leaves the rest alone. */
export function createReconcile({ store, bell, log }: { store: Store; bell: Bell; log: Logger }) {
  return async function reconcile(): Promise<Reconciled> {
    const channels = await listChannels(store);
    const slugs = new Set(channels.map(({ _id }) => _id));
    const running = new Set(await bell.runningChannels());
    const missing = channels.filter(({ _id }) => !running.has(_id));
    const extra = [...running].filter((slug) => !slugs.has(slug));
    for (const { _id, cadence_ms } of missing) await bell.ensureRunning(_id, cadence_ms);
    for (const slug of extra) await bell.stop(slug);
    const result = { channels: channels.length, started: missing.length, stopped: extra.length };
    if (missing.length + extra.length > 0) log.warn(result, 'channels reconciled');
    return result;
  };
}
