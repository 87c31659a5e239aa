import type { EntityType } from '../../../domain/entity-types';
import type { Channel } from '../../channels/channels';
import type { Store } from '../../store';

/** The old form of a subscription: `due` until its catch-ups were written or dropped. */
interface Before {
  channel: string;
  state: 'granted' | 'revoked';
  catch_up: 'due' | 'written';
  to_begin: EntityType[];
  version: number;
}

const before = (store: Store) => store.db.collection<Before>('subscriptions');

export async function planBeginByPlans(store: Store): Promise<string[]> {
  const count = await before(store).countDocuments({ catch_up: { $exists: true } });
  return count === 0 ? [] : [`${count} subscriptions: the entity types that are still to begin`];
}

/**
 * A grant with due catch-ups has yet to begin all types of its channel; all others have begun. The new version is
 * above that of every existing catch-up, so those that a plan begins replace them.
 */
export async function beginByPlans(store: Store): Promise<void> {
  for (const channel of await before(store).distinct('channel', { catch_up: { $exists: true } })) {
    const now = await store.db
      .collection<Channel>('channels')
      .findOneAndUpdate({ _id: channel }, { $inc: { shares_version: 1 } }, { returnDocument: 'after' });
    const version = now?.shares_version ?? 1;
    const types = now?.scope === 'subscribed' ? now.entity_types : [];
    await store.db
      .collection('markers')
      .updateMany({ channel, account: { $exists: true }, begun: { $exists: false } }, { $set: { begun: 0 } });
    const write = (of: Partial<Before>, to_begin: EntityType[]) =>
      before(store).updateMany(
        { channel, catch_up: { $exists: true }, ...of },
        { $set: { to_begin, version }, $unset: { catch_up: 1 } },
      );
    await write({ catch_up: 'due', state: 'granted' }, types);
    await write({}, []);
  }
}
