import { setTimeout } from 'node:timers/promises';
import type { EntityType } from '../../domain/records/entity-types';
import { findChannel } from '../../store/channels/channels';
import { claimChannel } from '../../store/channels/claim-channel';
import {
  askForPage,
  isToGiveOut,
  openWaitingPage,
  readWaitingState,
  type WaitingState,
} from '../../store/markers/waiting-pages';
import type { Store } from '../../store/store';
import type { ChannelClient } from '../../temporal/channel-client';
import { unavailable } from '../http/http-error';
import type { Lease } from '../limits/byte-budget';

const LOOK_MS = { first: 25, later: 100 };
// A page that another question or a confirmation has asked for is about to be laid out.
const SIGNAL_AFTER_MS = 300;
// A plan leads to no page if its records are no longer shared.
const SIGNAL_AGAIN_MS = 2_000;
const WAIT_MS = 10_000;

interface Parts {
  store: Store;
  temporal: Pick<ChannelClient, 'pageAskedFor'>;
}

interface Question {
  channel: string;
  entityType: EntityType;
  requestId: string;
  /** The answer's share of the memory for all answers. */
  lease: Lease;
}

/** The page as it is sent. */
interface Answer {
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Asks the worker for the page above the marker, and waits for it.
 * @returns null when there is nothing to send
 * @throws HttpError UNAVAILABLE when Temporal or the worker is away, or memory is short; RATE_LIMITED when
 * the channel's share of memory is used up
 */
export async function nextPage(parts: Parts, question: Question): Promise<Answer | null> {
  const { channel, entityType } = question;
  const began = performance.now();
  const past = () => performance.now() - began;
  const asked = await askForPage(parts.store, channel, entityType);
  let { asks } = asked;
  let signalAt = asked.isAnother ? SIGNAL_AFTER_MS : 0;
  let isAway = false;
  for (;;) {
    const found = await look(parts.store, question, asks);
    if (found === 'nothing') return null;
    if (typeof found === 'object') return found;
    if (found === 'overtaken') {
      ({ asks } = await askForPage(parts.store, channel, entityType));
      signalAt = 0;
    }
    if (isAway || past() > WAIT_MS) throw unavailable();
    if (past() >= signalAt) {
      signalAt = past() + SIGNAL_AGAIN_MS;
      void signal(parts, question).then((isAccepted) => (isAway = !isAccepted));
    }
    await setTimeout(past() < 1_000 ? LOOK_MS.first : LOOK_MS.later);
  }
}

const signal = ({ temporal }: Parts, { channel, entityType, requestId }: Question) =>
  temporal.pageAskedFor(channel, { entity_types: [entityType], request_id: requestId });

/** `overtaken`: a page was laid out for this question, and a revoke, a reset or another client has come since. */
async function look(
  store: Store,
  question: Question,
  asks: number,
): Promise<Answer | 'nothing' | 'overtaken' | undefined> {
  const waiting = await readWaitingState(store, question.channel, question.entityType);
  if ((waiting?.settled ?? 0) >= asks) return 'nothing';
  if (!waiting?.laid) return undefined;
  const answer = await giveOut(store, question, waiting);
  return answer ?? (waiting.laid.asks >= asks ? 'overtaken' : undefined);
}

async function giveOut(
  store: Store,
  { channel, lease }: Question,
  waiting: WaitingState,
): Promise<Answer | undefined> {
  if (!(await isToGiveOut(store, waiting, await findChannel(store, channel)))) return undefined;
  lease.growTo(waiting.laid?.bytes ?? 0);
  const opened = await openWaitingPage(store, waiting);
  // Claimed after the bytes were read: a revoke, a reset or a pause counts until they leave.
  const claimed = await store.client.withSession({ causalConsistency: true }, (session) =>
    claimChannel(store, channel, session),
  );
  return opened && (await isToGiveOut(store, waiting, claimed)) ? opened : undefined;
}
