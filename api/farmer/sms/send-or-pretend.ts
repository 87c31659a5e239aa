import { setTimeout as after } from 'node:timers/promises';
import { NumberNotTaken, type TextSender } from './text-sender';

interface Ended {
  ms: number;
  /** The error of a provider in trouble. */
  failed?: unknown;
}

const last = new WeakMap<TextSender, Ended>();

/**
 * Sends a message, and remembers for `pretendToSend` how long it took and whether the provider is in trouble. What it says of one
 * number says nothing of others.
 * @throws NotTaken
 */
export async function sendAsAsked(sender: TextSender, send: () => Promise<void>): Promise<void> {
  const started = performance.now();
  let failed: unknown;
  try {
    await send();
  } catch (error) {
    if (!(error instanceof NumberNotTaken)) failed = error;
    throw error;
  } finally {
    last.set(sender, { ms: performance.now() - started, failed });
  }
}

/**
 * Sends nothing, but takes as long as the last real message did, and fails as it did where that met a provider in trouble. So even during an
 * outage nobody can tell which phones would get a message.
 * @throws NotTaken
 */
export async function pretendToSend(sender: TextSender): Promise<void> {
  const { ms, failed } = last.get(sender) ?? { ms: 0 };
  await after(ms, undefined, { ref: false });
  if (failed) throw failed;
}
