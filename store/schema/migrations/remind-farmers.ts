import { isLanguage } from '../../../domain/language';
import { consents } from '../../consent/consents';
import { farmerNotices } from '../../consent/farmer-notices';
import { subscriptions } from '../../consent/subscriptions';
import type { Store } from '../../store';

export async function planRemindFarmers(store: Store): Promise<string[]> {
  const count = (await farmersToRemind(store)).length;
  return count === 0
    ? []
    : [`${count} farmers: reminded once a year of what they share, from its first day on`];
}

/** Whoever has shared before grants were noted for texts. They are told of no beginning. */
export async function remindFarmers(store: Store): Promise<void> {
  for (const farmer of await farmersToRemind(store)) {
    const [first] = await subscriptions(store)
      .find({ farmer, state: 'granted' })
      .sort({ since: 1 })
      .limit(1)
      .toArray();
    if (!first) continue;
    const read = await consents(store).findOne({ farmer, act: 'grant' }, { sort: { number: -1 } });
    const language = read && 'language' in read && isLanguage(read.language) ? read.language : 'en';
    const fresh = { from: first.since, years: [], language, begun: [], tries: 0, taken: null };
    await farmerNotices(store).updateOne({ _id: farmer }, { $setOnInsert: fresh }, { upsert: true });
  }
}

async function farmersToRemind(store: Store): Promise<string[]> {
  const sharing = await subscriptions(store).distinct('farmer', { state: 'granted' });
  const known = await farmerNotices(store).distinct('_id');
  const has = new Set(known);
  return sharing.filter((farmer) => !has.has(farmer));
}
