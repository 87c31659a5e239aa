import type { Access } from '../../domain/access';
import { type Channel, channels } from './channels';
import type { Store } from '../store';
import { type Integration, integrations } from '../callers/integrations';

/** Binds an ERP's tokens, or unbinds them where a value is empty. @returns null when there is no such integration */
export const setAccess = (store: Store, id: string, access: Access): Promise<Integration | null> =>
  integrations(store).findOneAndUpdate(
    { _id: id },
    { $set: under('access', access) },
    { returnDocument: 'after' },
  );

/** The same for a customer's keys. */
export const setKeyAccess = (store: Store, slug: string, access: Access): Promise<Channel | null> =>
  channels(store).findOneAndUpdate(
    { _id: slug },
    { $set: under('key_access', access) },
    { returnDocument: 'after' },
  );

const under = (field: string, access: Access) =>
  Object.fromEntries(Object.entries(access).map(([name, value]) => [`${field}.${name}`, value]));
