import type { Channel } from '../store/channels/channels';
import type { Consent, ConsentAct } from '../store/consent/consents';
import { type ActTaken, grant, type GrantingPage, refuse, revoke } from '../store/sharing/grant-and-revoke';
import { subscriptionKey, type Subscription } from '../store/consent/subscriptions';
import { batchesOf } from '../store/records/records';
import type { Parts } from './record-action';

/** The acts of one farmer or operator on one channel; each goes to the ledger with who and why. */
interface ShareActs {
  revokes: ConsentAct[];
  grants?: ConsentAct[];
  /** Grants of accounts that are already shared, from now on with their earlier records. */
  widened?: ConsentAct[];
  /** Grants of accounts that are already shared, with another end. */
  moves?: ConsentAct[];
  refusals?: ConsentAct[];
}

export interface Shared {
  /** How many accounts. */
  changed: number;
  /** The ledger's last entry of these acts; a refusal only where nothing else was written. */
  last: Consent | undefined;
  /** Whether Temporal took the signal. */
  signalled: boolean;
}

/** An operator's revokes of what farmers have granted to one channel, on their word. */
export function revokesOf(
  { name: channel_name, entity_types }: Channel,
  granted: Subscription[],
  { reason, request_id }: { reason: string; request_id: string },
): ConsentAct[] {
  const said = { channel_name, entity_types, by: 'operator', reason, request_id } as const;
  return granted.map((one) => ({ act: 'revoke', ...subscriptionKey(one), ...said }));
}

/**
 * Revokes, grants, widens grants, moves their ends and refuses, in this order, batch by batch; then signals the workflow. Each
 * batch is one transaction with its entries in the ledger.
 * @param channel as whoever acts was shown it
 * @param phoneEnding and `stop`: of the page that grants or revokes
 * @param onBatch after each batch, with how many accounts have changed so far, so that whoever waits sees that it continues
 * @throws TermsChanged, FarmerErased, FarmerStopped; what was written before stays
 */
export async function shareAccounts(
  { store, temporal }: Parts,
  channel: Channel,
  { revokes, grants = [], widened = [], moves = [], refusals = [] }: ShareActs,
  {
    requestId,
    phoneEnding = '',
    stop,
    onBatch,
  }: { requestId: string; onBatch?: (changed: number) => Promise<void> } & Partial<GrantingPage>,
): Promise<Shared> {
  const page: GrantingPage = { phoneEnding, stop };
  const revokeBatch = async (acts: ConsentAct[]) => {
    const taken = await revoke(store, acts, page.stop);
    page.stop = taken.stop;
    return taken;
  };
  const steps: [ConsentAct[], (acts: ConsentAct[]) => Promise<ActTaken>][] = [
    [revokes, revokeBatch],
    [grants, (acts) => grant(store, channel, acts, page)],
    [widened, (acts) => grant(store, channel, acts, { ...page, kept: 'widened' })],
    [moves, (acts) => grant(store, channel, acts, { ...page, kept: 'moved' })],
    [refusals, (acts) => refuse(store, acts)],
  ];
  let changed = 0;
  let last: Consent | undefined;
  for (const [acts, take] of steps) {
    for (const batch of batchesOf(acts)) {
      const taken = await take(batch);
      changed += taken.changed;
      if (taken.last && (!last || taken.last.act !== 'refusal')) last = taken.last;
      await onBatch?.(changed);
    }
  }
  const signalled =
    changed === 0 || (await temporal.subscriptionsChanged(channel._id, { request_id: requestId }));
  return { changed, last, signalled };
}
