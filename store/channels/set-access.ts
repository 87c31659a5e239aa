import type { Access } from '../../domain/access';
import type { Channel } from './channels';
import type { Store } from '../store';
import type { Integration } from '../callers/integrations';

/** Binds an ERP's tokens, or unbinds them where a value is empty. @returns null when there is no such integration */
export const setAccess = (store: Store, id: string, access: Access): Promise<Integration | null> =>
  store.db
    .collection<Integration>('integrations')
    .findOneAndUpdate({ _id: id }, { $set: under('access', access) }, { returnDocument: 'after' });

/** The same for a customer's keys. */
export const setKeyAccess = (store: Store, slug: string, access: Access): Promise<Channel | null> =>
  store.db
    .collection<Channel>('channels')
    .findOneAndUpdate({ _id: slug }, { $set: under('key_access', access) }, { returnDocument: 'after' });

const under = (field: string, access: Access) =>
  Object.fromEntries(Object.entries(access).map(([name, value]) => [`${field}.${name}`, value]));
