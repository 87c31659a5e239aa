import { type LedgerKey, readLedgerKeys } from '../secrets/ledger-keys';
import type { Store } from '../store';
import { BEGINNING, type Consent, consents, isSigned, keyedHash } from './consents';

export type ChainVerdict =
  | { ok: true; links: number; head: string }
  | { ok: false; links: number; broken: string; why: string };

/** Entries that were the last one of the chain at some time, as they were posted with the alerts: number to hash. */
export type KnownHeads = ReadonlyMap<number, string>;

/** The place of the walk along a chain. */
interface Walk {
  links: number;
  previous: string;
  /** The place of the last entry's key among the known ones, newest first: it never rises. */
  age: number;
}

/**
 * Verifies a channel's chain from the beginning and names the first broken entry. Whoever holds the database alone can
 * neither sign nor hash an entry; what they can do, cutting off the end, `heads` shows.
 */
export async function verifyConsents(
  store: Store,
  channel: string,
  heads: KnownHeads = new Map(),
): Promise<ChainVerdict> {
  const { known } = await readLedgerKeys(store);
  const walk: Walk = { links: 0, previous: BEGINNING, age: known.length };
  for await (const consent of consents(store).find({ channel }).sort({ number: 1 })) {
    const why = whyBroken(consent, walk, known, heads);
    if (why) return { ok: false, links: walk.links, broken: consent._id, why };
    walk.links += 1;
    walk.previous = consent.hash;
  }
  return conclude(channel, walk, heads);
}

function whyBroken(consent: Consent, walk: Walk, known: LedgerKey[], heads: KnownHeads): string | undefined {
  const { _id, number, previous, hash, channel, key } = consent;
  if (number !== walk.links + 1 || _id !== `${channel}/${number}`)
    return `number ${walk.links + 1} is missing before it`;
  if (previous !== walk.previous) return 'it does not hold the hash of the one before';
  if (heads.has(number) && heads.get(number) !== hash) return 'it is not the entry that was posted as head';
  if (!consent.signature) return 'it is not signed';
  const age = known.findIndex(({ id }) => id === key);
  if (age < 0) return 'it is signed with a key that is not one of ours';
  if (age > walk.age) return 'it is signed with a key that had been replaced before';
  walk.age = age;
  const signer = known[age]!;
  const holds = keyedHash(signer, consent) === hash && isSigned(signer, consent);
  return holds ? undefined : 'its content was altered';
}

function conclude(channel: string, { links, previous }: Walk, heads: KnownHeads): ChainVerdict {
  const cut = [...heads.keys()].find((number) => number > links);
  if (cut !== undefined) {
    const why = `it is missing, and ${channel}/${cut} was posted as head: the end was cut off`;
    return { ok: false, links, broken: `${channel}/${links + 1}`, why };
  }
  return { ok: true, links, head: previous };
}
