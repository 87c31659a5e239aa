import { consents, type Consent } from '../../store/consent/consents';
import { type Subscription, subscriptionId, subscriptions } from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import type { Store } from '../../store/store';

/** What one subscription is, in short. */
interface Said {
  account: string;
  state: 'granted' | 'revoked';
  /** Of one that is granted. */
  earlier?: boolean;
  /** Of one that is revoked: what became of the request to delete it; missing where nobody asks. */
  deletion?: 'wanted' | 'asked' | 'confirmed';
}

/** What the ledger says of each subscription of a channel. @throws where an entry cannot follow the one before it */
function ledgerSays(entries: Consent[]): Map<string, Said> {
  const said = new Map<string, Said>();
  for (const entry of entries) {
    const id = subscriptionId(entry);
    const { account, act } = entry;
    const of = [...said.values()].filter((one) => one.account === account);
    const known = said.get(id);
    if (act === 'grant') {
      for (const one of of) delete one.deletion;
      const earlier = ('earlier' in entry && entry.earlier) || (known?.earlier ?? false);
      said.set(id, { account, state: 'granted', earlier });
    } else if (act === 'revoke') {
      said.set(id, { account, state: 'revoked' });
      const now = [...said.values()].filter((one) => one.account === account);
      if (now.every(({ state }) => state === 'revoked')) for (const one of now) one.deletion = 'wanted';
    } else if (act !== 'refusal') {
      const [before, after] =
        act === 'deletion_asked' ? (['wanted', 'asked'] as const) : (['asked', 'confirmed'] as const);
      if (known?.deletion !== before) throw new Error(`${entry._id}: ${act} of ${JSON.stringify(known)}`);
      known.deletion = after;
    }
  }
  return said;
}

function toSaid({ account, state, from, deletion }: Subscription): Said {
  if (state === 'granted') return { account, state, earlier: !from, ...(deletion && { deletion: 'wanted' }) };
  if (!deletion) return { account, state };
  const done = deletion.confirmed_at ? 'confirmed' : deletion.asked_at ? 'asked' : 'wanted';
  return { account, state, deletion: done };
}

/** The ledger is whole, and what it says is what the subscriptions of the channel are. */
export async function expectLedgerAgrees(store: Store, channel: string): Promise<Consent[]> {
  expect(await verifyConsents(store, channel)).toMatchObject({ ok: true });
  const entries = await consents(store).find({ channel }).sort({ number: 1 }).toArray();
  const kept = await subscriptions(store).find({ channel }).toArray();
  const byId = new Map(kept.map((one) => [one._id, toSaid(one)]));
  expect(byId).toEqual(ledgerSays(entries));
  return entries;
}
