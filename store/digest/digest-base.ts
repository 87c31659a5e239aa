import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { readCeiling, readNewestChange, seeNewest } from '../records/counters';
import type { RecordDocument } from '../records/records';
import { readAccountsToBegin } from '../consent/subscriptions';
import type { Store } from '../store';
import { readOpenCatchUps } from '../markers/catch-ups';
import { type Channel, findChannel } from '../channels/channels';
import { readMarkers } from '../markers/markers';
import { readSelection, type Selection } from '../window/selection';
import type { Window } from '../window/pieces';

/** What decides which records a customer must already hold, read together (docs/architecture.md#digest). */
export interface DigestBase {
  /** Accounts whose earlier records are still to be sent are in it too. */
  selection: Selection;
  /** What the marker has passed. */
  passed: Window;
  /** The positions that catch-ups have still to deliver, by account. */
  left: ReadonlyMap<string, Window>;
  /** The highest committed position, and when it was stored. */
  ceiling: number;
  as_of: Date;
}

const MAX_TRIES = 20;

/**
 * Reads until nothing is granted, begun or revoked in between.
 * @returns undefined when that does not come to an end, or the channel is gone
 */
export async function readDigestBase(
  store: Store,
  slug: string,
  type: EntityType,
  session: ClientSession,
): Promise<DigestBase | undefined> {
  await seeNewest(store, session);
  let channel = await findChannel(store, slug, session);
  for (let tries = 0; channel && tries < MAX_TRIES; tries += 1) {
    const base = await readOnce(store, channel, type, session);
    const after = await findChannel(store, slug, session);
    if (after?.shares_version === channel.shares_version) return base;
    channel = after;
  }
  return undefined;
}

/** Reads the marker before the counter, so that nothing that the marker has passed is newer. */
async function readOnce(
  store: Store,
  channel: Channel,
  type: EntityType,
  session: ClientSession,
): Promise<DigestBase> {
  const selection = await readSelection(store, channel, type, session);
  const { _id: slug, scope } = channel;
  const isShared = scope === 'subscribed';
  const waiting = isShared ? await readAccountsToBegin(store, slug, type, session) : NOBODY;
  const open = isShared ? await readOpenCatchUps(store, slug, type, session) : [];
  const marker = (await readMarkers(store, slug, session)).get(type);
  const as_of = await readNewestChange(store, type, session);
  const ceiling = await readCeiling(store, type, session);
  const left = new Map([
    ...open.map(({ account, position, until }) => [account, { after: position, upTo: until }] as const),
    ...[...waiting.accounts].map((account) => [account, { after: 0, upTo: Infinity }] as const),
  ]);
  return {
    selection: withWaiting(selection, waiting),
    // Of what farmers share, the catch-ups send what was there before.
    passed: { after: isShared ? 0 : (marker?.began ?? 0), upTo: marker?.position ?? 0 },
    left,
    ceiling,
    as_of,
  };
}

const NOBODY = { accounts: new Set<string>(), from: new Map<string, number>() };

/** Adds the accounts whose catch-up has not begun. An account in both is shared from the earlier of its beginnings. */
function withWaiting({ companies, shared, from }: Selection, waiting: typeof NOBODY): Selection {
  if (!shared) return { companies, shared };
  const begins = new Map([...(from ?? []), ...waiting.from]);
  for (const account of begins.keys()) {
    const places = [{ accounts: shared, from }, waiting].filter(({ accounts }) => accounts.has(account));
    begins.set(account, Math.min(...places.map((place) => place.from?.get(account) ?? 0)));
  }
  return { companies, shared: new Set([...shared, ...waiting.accounts]), from: begins };
}

/** Whether a difference in this record is expected. */
export function isPending(
  { passed, left }: DigestBase,
  record: Pick<RecordDocument, 'position' | 'account_ids' | 'left_account_ids'>,
): boolean {
  const isIn = ({ after, upTo }: Window) => record.position > after && record.position <= upTo;
  if (!isIn(passed)) return true;
  if (left.size === 0) return false;
  const accounts = [...record.account_ids, ...(record.left_account_ids ?? [])];
  return accounts.some((account) => {
    const window = left.get(account);
    return window !== undefined && isIn(window);
  });
}
