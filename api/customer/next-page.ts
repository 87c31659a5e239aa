import { setTimeout } from 'node:timers/promises';
import type { EntityType } from '../../domain/entity-types';
import { type Channel, findChannel } from '../../store/channels/channels';
import {
  askForPage,
  confirmWaitingPage,
  openWaitingPage,
  readWaitingPage,
  type WaitingPage,
} from '../../store/markers/waiting-pages';
import type { ChannelClient } from '../../temporal/channel-client';
import type { Store } from '../../store/store';
import { unavailable } from '../http/http-error';

// The worker looks this often too. A worker that is there offers the next page before it needs a signal.
const LOOK_MS = 25;
const SIGNAL_AFTER_MS = 150;
const WAIT_MS = 10_000;

interface Parts {
  store: Store;
  temporal: Pick<ChannelClient, 'pageAskedFor'>;
}

interface Question {
  channel: Channel;
  entityType: EntityType;
  requestId: string;
}

/**
 * Asks the worker for the page above the marker, and waits for it.
 * @returns null when there is nothing to send
 * @throws HttpError UNAVAILABLE when Temporal or the worker is away
 */
export async function nextPage(
  { store, temporal }: Parts,
  { channel, entityType, requestId }: Question,
): Promise<{ headers: Record<string, string>; body: Buffer } | null> {
  const { asks } = await askForPage(store, channel, entityType);
  const answer = await untilFound(
    { store, temporal },
    { channel, entityType, requestId },
    async (waiting) => {
      if ((waiting.settled ?? 0) >= asks) return 'nothing';
      // Read now: a revoke or a pause since the question counts.
      const now = waiting.body && (await findChannel(store, channel._id));
      if (now?.state !== 'active') return undefined;
      const isStale = now.shares_version > Math.max(waiting.shares_version ?? 0, waiting.asked_version ?? 0);
      if (isStale) await askForPage(store, now, entityType); // so that the worker rebuilds it
      return openWaitingPage(waiting, now, new Date());
    },
  );
  return answer === 'nothing' ? null : answer;
}

/**
 * Confirms a page, and waits until the marker has moved past it.
 * @returns false when the page does not wait (any more)
 * @throws HttpError UNAVAILABLE when the worker does not come to it in time; the confirmation holds all the same
 */
export async function takeConfirmation(
  parts: Parts,
  { channel, page, requestId }: Omit<Question, 'entityType'> & { page: string },
): Promise<boolean> {
  const entityType = await confirmWaitingPage(parts.store, channel._id, page);
  if (!entityType) return false;
  const end = await untilFound(parts, { channel, entityType, requestId }, async (waiting) => {
    if (waiting.passed?.includes(page)) return 'passed';
    return waiting.page === page ? undefined : 'replaced';
  });
  return end === 'passed';
}

async function untilFound<T>(
  { store, temporal }: Parts,
  { channel, entityType, requestId }: Question,
  look: (waiting: WaitingPage) => Promise<T | undefined>,
): Promise<T> {
  const started = performance.now();
  let signalled: Promise<boolean> | undefined;
  for (;;) {
    const waiting = await readWaitingPage(store, channel._id, entityType);
    const found = waiting && (await look(waiting));
    if (found) return found;
    const past = performance.now() - started;
    if (past > WAIT_MS) throw unavailable();
    if (past > SIGNAL_AFTER_MS && !signalled) {
      signalled = temporal.pageAskedFor(channel._id, { entity_types: [entityType], request_id: requestId });
      if (!(await signalled)) throw unavailable();
    }
    await setTimeout(LOOK_MS);
  }
}
