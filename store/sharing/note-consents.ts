import type { ClientSession } from 'mongodb';
import { addTo } from '../../domain/records/add-to';
import { noteForCustomer } from '../alerts/customer-notices';
import type { Channel } from '../channels/channels';
import type { Consent, ConsentAct } from '../consent/consents';
import type { Store } from '../store';
import { noteAsking } from './deletions';

/** A grant without the earlier records. */
export const isLate = (act: ConsentAct) => 'earlier' in act && act.earlier === false;

/**
 * Keeps notices of grants and revokes for the customer: one for each transaction, kind of change and partner_id. The notice asks
 * for the deletion of accounts that nobody shares any more.
 */
export async function noteConsents(
  store: Store,
  channel: Pick<Channel, '_id' | 'notify_url'>,
  { written, unshared }: { written: Consent[]; unshared: ReadonlySet<string> },
  session: ClientSession,
): Promise<void> {
  if (!channel.notify_url) return;
  const told = new Map<string, Consent[]>();
  for (const consent of written) {
    const key = `${typeOf(consent)} ${isLate(consent)} ${consent.partner_id}`;
    addTo(told, key, consent);
  }
  for (const [first, ...rest] of told.values()) {
    const { partner_id, at, act } = first!;
    const accounts = [...new Set([first!, ...rest].map(({ account }) => account))];
    const toDelete = accounts.filter((account) => unshared.has(account));
    const more = act === 'grant' ? { earlier: !isLate(first!) } : { delete: toDelete };
    const [_id, data] = [noticeId(first!), { partner_id, accounts, ...more }];
    await noteForCustomer(store, channel, { _id, type: typeOf(first!), data, at }, session);
    if (toDelete.length > 0) await noteAsking(store, channel._id, toDelete, _id, session);
  }
}

/** Entries of one transaction have the same time, so the number in the id gives the order of their notices. */
const noticeId = ({ channel, number }: Consent) => `consent/${channel}/${String(number).padStart(9, '0')}`;

function typeOf(consent: Consent) {
  if (consent.act === 'grant') return 'accounts.granted';
  return 'by' in consent && consent.by === 'end' ? 'accounts.ended' : 'accounts.revoked';
}
