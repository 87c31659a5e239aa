import type { CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import type { Store } from '../../store/store';

/** How long one waited for the answers to all commands of a name, in milliseconds. */
export type Waited = Map<string, number>;

/** What a monitored store waits for while `work` goes on. @returns milliseconds */
export async function timeCommands(
  store: Store,
  work: () => Promise<unknown>,
): Promise<{ wall: number; waited: Waited }> {
  const sent = new Map<number, number>();
  const waited: Waited = new Map();
  const begin = ({ requestId }: CommandStartedEvent) => void sent.set(requestId, performance.now());
  const end = ({ requestId, commandName: name }: CommandSucceededEvent) => {
    const took = performance.now() - (sent.get(requestId) ?? NaN);
    if (took >= 0) waited.set(name, (waited.get(name) ?? 0) + took);
  };
  store.client.on('commandStarted', begin).on('commandSucceeded', end);
  const started = performance.now();
  try {
    await work();
    return { wall: performance.now() - started, waited };
  } finally {
    store.client.off('commandStarted', begin).off('commandSucceeded', end);
  }
}
