import { setTimeout } from 'node:timers/promises';
import { signedPage } from '../../customer/send-page';
import { openSecrets } from '../../store/channels/channels';
import { type Marker, markerId } from '../../store/markers/markers';
import {
  clearPage,
  type LaidPage,
  layPage,
  readWaitingState,
  withdrawPage,
} from '../../store/markers/waiting-pages';
import type { Outgoing } from './outgoing';
import type { DeliverySlice } from './slice';

// Without another question or a confirmation, nobody is there.
const ASK_TIMEOUT_MS = 10_000;
// Then it is signed again: receivers refuse signatures that are older than 5 minutes.
const GIVEN_OUT_MS = 60_000;
const LOOK_MS = { first: 25, later: 100 };

type HandedOver = 'confirmed' | 'uncollected' | 'left' | 'more';

/**
 * The last step where the customer collects its pages: lays the page out and waits for the confirmation, as long as
 * the customer continues asking (docs/architecture.md#pull).
 * @returns `uncollected`: nobody asks; `left`: the customer asked, and did not confirm; `more`: rebuild the page, since sharing changed, or elsewhere, since this process stops
 */
export async function handOver(slice: DeliverySlice, outgoing: Outgoing): Promise<HandedOver> {
  const { process, input, tally } = slice;
  const { store } = process;
  const id = markerId(input.channel, input.entity_type);
  const before = await readWaitingState(store, id);
  if (!before || (!before.confirmed && before.asks === before.settled)) return 'uncollected';
  const page = await sign(slice, outgoing);
  if (before.page !== page.page || !before.confirmed) {
    await layPage(store, id, page, tally.collected);
    const handedOver = await untilConfirmed(slice, id, page, before.asks);
    if (handedOver !== 'confirmed') return handedOver;
  }
  tally.collected = page.page;
  return 'confirmed';
}

async function sign({ process }: DeliverySlice, { channel, selection, body, origin }: Outgoing) {
  const now = new Date();
  const { authorization: _, ...secrets } = await openSecrets(process.store, channel, now);
  const signed = await signedPage({ ...secrets, _id: channel._id }, body, origin);
  const ends = now.getTime() + GIVEN_OUT_MS;
  const until = new Date(Math.min(ends, selection.until?.getTime() ?? ends));
  const { id: page, headers } = signed;
  return { page, headers, body: signed.body, until, shares_version: channel.shares_version };
}

/** @throws when a reset cancels the slice */
async function untilConfirmed(
  { process, signal }: DeliverySlice,
  id: string,
  { page, until, shares_version }: Pick<LaidPage, 'page' | 'until' | 'shares_version'>,
  asks: number,
): Promise<HandedOver> {
  const laid = Date.now();
  let asked = laid;
  for (;;) {
    const now = await readWaitingState(process.store, id);
    if (now?.page !== page) return 'uncollected'; // another attempt has laid out its own
    if (now.confirmed) return 'confirmed';
    if ((now.asked_version ?? 0) > shares_version || process.draining()) return 'more';
    if (now.asks !== asks) {
      if (Date.now() >= laid + GIVEN_OUT_MS) return 'left';
      if (Date.now() >= until.getTime()) return 'more';
      [asks, asked] = [now.asks, Date.now()];
    }
    if (Date.now() - asked > (process.askTimeoutMs ?? ASK_TIMEOUT_MS)) {
      await withdrawPage(process.store, id, page, now.asks);
      return 'left';
    }
    await setTimeout(Date.now() - laid < 1_000 ? LOOK_MS.first : LOOK_MS.later, undefined, { signal });
  }
}

/** The marker has moved past a page, and the worker that moved it has died before it could say so. */
export async function recallCollected(
  { process, input, tally }: DeliverySlice,
  { progress }: Pick<Marker, 'progress'>,
): Promise<void> {
  const page = progress?.collected;
  if (page === undefined || tally.collected !== undefined) return;
  const waiting = await readWaitingState(process.store, markerId(input.channel, input.entity_type));
  if (waiting?.page === page && waiting.confirmed) tally.collected = page;
}

/** Tells the customer, whose confirmation waits for it, that the marker has moved. */
export async function clearCollected({ process, input, tally }: DeliverySlice): Promise<void> {
  if (!tally.collected) return;
  await clearPage(process.store, markerId(input.channel, input.entity_type), tally.collected);
  delete tally.collected;
}
