import type { CommandSucceededEvent } from 'mongodb';
import type { Store } from '../../store/store';

/** How long one waited for the answers to all commands of a name, in milliseconds. */
export type Waited = Map<string, number>;

/** What a monitored store waits for while `work` goes on. @returns milliseconds, those of each command whole ones */
export async function timeCommands(
  store: Store,
  work: () => Promise<unknown>,
): Promise<{ wall: number; waited: Waited }> {
  const waited: Waited = new Map();
  const add = ({ commandName: name, duration }: CommandSucceededEvent) =>
    void waited.set(name, (waited.get(name) ?? 0) + duration);
  store.client.on('commandSucceeded', add);
  const started = performance.now();
  try {
    await work();
    return { wall: performance.now() - started, waited };
  } finally {
    store.client.off('commandSucceeded', add);
  }
}
