import { eraseFromNotices } from '../store/alerts/customer-notices';
import { findEvenClosed } from '../store/channels/channels';
import { erasedMarker } from '../store/consent/action-chain';
import { eraseFromActions } from '../store/callers/operator-actions';
import { unlockPhone } from '../store/codes/attempt-counts';
import { forgetSignIns } from '../store/codes/forget-sign-ins';
import { farmersNamed, keepErasures, noteErasure } from '../store/consent/erasures';
import { eraseNotices } from '../store/consent/farmer-notices';
import { findFarmerId, forgetFarmer, phoneHashes } from '../store/consent/farmers';
import { forgetSubscriptions, theirsAlone } from '../store/consent/farmers-traces';
import { listAllOfFarmer, type Subscription } from '../store/consent/subscriptions';
import type { Store } from '../store/store';
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

interface Why {
  reason: string;
  request_id: string;
}

/**
 * Ends everything that a farmer shares, as an operator would, then forgets whose it was: first what could grant again,
 * last the link from the phone, so that a run that was interrupted is finished by the next. Waits for grants in
 * progress and ends them; nothing is granted after it.
 */
export async function eraseFarmer(parts: Parts, phone: string, why: Why): Promise<Erased> {
  const { store } = parts;
  const hashes = phoneHashes(store, phone);
  return besideVisits(store, hashes, async () => {
    await unlockPhone(store, phone);
    return forget(parts, { farmer: await findFarmerId(store, phone), phone }, why);
  });
}

/**
 * Erases again, after a restore, whom these hashes name, and keeps the hashes for the next restore.
 * @returns what was erased, and of how many farmers
 */
export async function eraseNamed(
  parts: Parts,
  named: string[],
  why: Why,
): Promise<Erased & { farmers: number }> {
  const { store } = parts;
  await keepErasures(store, named);
  const found = await farmersNamed(store, named);
  const all = { farmers: found.size, ...NOTHING };
  for (const [farmer, hashes] of found) {
    const one = await besideVisits(store, hashes, () => forget(parts, { farmer }, why));
    for (const kind of ERASED_KINDS) all[kind] += one[kind];
    all.signalled &&= one.signalled;
  }
  return all;
}

const ERASED_KINDS = ['revoked', 'subscriptions', 'sessions', 'codes', 'links'] as const;
const NOTHING = { revoked: 0, subscriptions: 0, sessions: 0, codes: 0, links: 0, signalled: true };

type Forgotten = Omit<Erased, 'sessions' | 'codes'>;

/** Ends the visits before the erasure looks whose the phone is, and then those that have begun beside it. */
async function besideVisits(
  store: Store,
  hashes: string[],
  erase: () => Promise<Forgotten>,
): Promise<Erased> {
  const before = await forgetSignIns(store, hashes);
  const erased = await erase();
  const { sessions, codes } = await forgetSignIns(store, hashes);
  return { ...erased, sessions: before.sessions + sessions, codes: before.codes + codes };
}

/** @param whom without a phone where only the posted heads name the farmer */
async function forget(
  parts: Parts,
  { farmer, phone }: { farmer: string | undefined; phone?: string },
  why: Why,
): Promise<Forgotten> {
  const { store } = parts;
  if (farmer !== undefined) await eraseNotices(store, farmer);
  const subscriptions = farmer === undefined ? [] : await listAllOfFarmer(store, farmer);
  const granted = subscriptions.filter(({ state }) => state === 'granted');
  const { changed: revoked, signalled } = await revokeAll(parts, granted, why);
  await eraseFromActions(store, subscriptions, phone, await erasedMarker(store));
  await eraseFromNotices(store, await theirsAlone(store, subscriptions));
  const forgotten = await forgetSubscriptions(store, subscriptions);
  if (farmer !== undefined) await noteErasure(store, farmer);
  const links = farmer === undefined ? 0 : await forgetFarmer(store, farmer);
  return { revoked, subscriptions: forgotten, links, signalled };
}

async function revokeAll(
  parts: Parts,
  granted: Subscription[],
  { reason, request_id }: Why,
): Promise<Pick<Shared, 'changed' | 'signalled'>> {
  const { store } = parts;
  const ended = { changed: 0, signalled: true };
  for (const slug of new Set(granted.map(({ channel }) => channel))) {
    const channel = await findEvenClosed(store, slug);
    if (!channel) continue;
    const ofChannel = granted.filter((one) => one.channel === slug);
    const revokes = revokesOf(channel, ofChannel, { reason, request_id });
    const shared = await shareAccounts(parts, channel, { revokes }, { requestId: request_id });
    ended.changed += shared.changed;
    ended.signalled &&= shared.signalled;
  }
  return ended;
}
