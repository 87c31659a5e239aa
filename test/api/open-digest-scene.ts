import { bucketOf } from '../../domain/records/digest';
import { readDigestBase } from '../../store/digest/digest-base';
import { findChannel } from '../../store/channels/channels';
import { markerId, startMarker } from '../../store/markers/markers';
import { records } from '../../store/records/records';
import type { Store } from '../../store/store';
import { pushRecords } from '../setup/push-records';
import { type Api, channelKey } from './start-api';

/** Ids whose order differs in UTF-16 and UTF-8, beside plain ones. */
export const IDS = ['1', '10', '2', 'é', '\uff5e', '\u{1f33d}', 'a b', 'T"1"', '🌾9'];

export type DigestScene = Awaited<ReturnType<typeof openDigestScene>>;

let used = 0;

/** A company with tickets of two accounts, `IDS` of A and one of B, and a channel of its own. */
export async function openDigestScene({ store, ask }: Api, scope: 'all' | 'subscribed' = 'all') {
  used += 1;
  const company = { id: `c${used}`, name: 'Co-op' };
  const slug = `digest${used}`;
  const token = await channelKey(store, slug, { companies: [company.id], scope });
  const push = (ids: string[], account = 'A', more = {}) =>
    pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: account, ...more })) }, company);
  await push(IDS);
  await push(['other'], 'B');
  const path = `/api/v1/channels/${slug}/digest?entity_type=tickets`;
  const stored = () =>
    records(store, 'tickets').find({ company_id: company.id }).sort({ position: 1 }).toArray();
  const markTo = async (position: number) => {
    await startMarker(store, slug, 'tickets', 0);
    const markers = store.db.collection<{ _id: string }>('markers');
    await markers.updateOne({ _id: markerId(slug, 'tickets') }, { $set: { position } });
  };
  return {
    slug,
    token,
    push,
    path,
    stored,
    account: (name: string) => `${company.id}-${name}`,
    channel: async () => (await findChannel(store, slug))!,
    digest: async () => (await ask('GET', path, { token })).json,
    list: async (ids: string[]) => {
      const buckets = [...new Set(ids.map(bucketOf))].join(',');
      const { json } = await ask('GET', `${path}&bucket=${buckets}`, { token });
      return new Map<string, { updated_at: string; pending: boolean }>(
        json.data.map((one: { id: string }) => [one.id, one]),
      );
    },
    /** The marker comes to the last record. */
    passAll: async () => markTo((await stored()).at(-1)!.position),
    base: (through: Store = store) =>
      store.client.withSession({ causalConsistency: true }, async (session) => {
        const base = await readDigestBase(through, slug, 'tickets', session);
        return base ?? Promise.reject(new Error('no base'));
      }),
  };
}
