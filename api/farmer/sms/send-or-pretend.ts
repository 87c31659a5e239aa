import { setTimeout as after } from 'node:timers/promises';
import { NotTaken, type TextSender } from './text-sender';

interface Ended {
  ms: number;
  failed: boolean;
}

const last = new WeakMap<TextSender, Ended>();

/** Sends a message, and remembers its duration and outcome for `pretendToSend`. @throws NotTaken */
export async function sendAsAsked(sender: TextSender, send: () => Promise<void>): Promise<void> {
  const started = performance.now();
  let failed = true;
  try {
    await send();
    failed = false;
  } finally {
    last.set(sender, { ms: performance.now() - started, failed });
  }
}

/**
 * Sends nothing, but takes as long and ends as the last real message did. So even during an outage nobody can tell
 * which phones would get a message.
 * @throws NotTaken
 */
export async function pretendToSend(sender: TextSender): Promise<void> {
  const { ms, failed } = last.get(sender) ?? { ms: 0, failed: false };
  await after(ms, undefined, { ref: false });
  if (failed) throw new NotTaken('as the last one');
}
