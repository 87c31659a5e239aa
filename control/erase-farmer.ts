import { findChannel } from '../store/channels/channels';
import { forgetSignIns } from '../store/codes/forget-sign-ins';
import { eraseNotices } from '../store/consent/farmer-notices';
import { findFarmerId, forgetFarmer } from '../store/consent/farmers';
import { findTraces, forgetSubscriptions } from '../store/consent/farmers-traces';
import type { Subscription } from '../store/consent/subscriptions';
import type { Parts } from './record-action';
import { revokesOf, type Shared, shareAccounts } from './share-accounts';

/** What was erased of a farmer, by kind. */
export interface Erased {
  revoked: number;
  subscriptions: number;
  sessions: number;
  codes: number;
  links: number;
  /** False: Temporal is away, and the next page honours the revokes. */
  signalled: boolean;
}

/**
 * Ends everything that a farmer shares, as an operator would, then forgets whose it was: first what could grant again,
 * last the link from the phone, so that a run that was interrupted is finished by the next. Waits for grants in
 * progress and ends them; nothing is granted after it.
 */
export async function eraseFarmer(
  parts: Parts,
  phone: string,
  why: { reason: string; request_id: string },
): Promise<Erased> {
  const { store } = parts;
  const visits = await forgetSignIns(store, phone);
  const farmer = await findFarmerId(store, phone);
  if (farmer !== undefined) await eraseNotices(store, farmer);
  const { subscriptions } = await findTraces(store, phone);
  const granted = subscriptions.filter(({ state }) => state === 'granted');
  const { changed: revoked, signalled } = await revokeAll(parts, granted, why);
  const forgotten = await forgetSubscriptions(store, subscriptions);
  const links = await forgetFarmer(store, phone);
  return { revoked, subscriptions: forgotten, ...visits, links, signalled };
}

async function revokeAll(
  parts: Parts,
  granted: Subscription[],
  { reason, request_id }: { reason: string; request_id: string },
): Promise<Pick<Shared, 'changed' | 'signalled'>> {
  const { store } = parts;
  const ended = { changed: 0, signalled: true };
  for (const slug of new Set(granted.map(({ channel }) => channel))) {
    const channel = await findChannel(store, slug);
    if (!channel) continue;
    const ofChannel = granted.filter((one) => one.channel === slug);
    const revokes = revokesOf(channel, ofChannel, { reason, request_id });
    const shared = await shareAccounts(parts, channel, { revokes }, { requestId: request_id });
    ended.changed += shared.changed;
    ended.signalled &&= shared.signalled;
  }
  return ended;
}
