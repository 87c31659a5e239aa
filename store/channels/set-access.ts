import type { Collection, Filter, MatchKeysAndValues, WithId } from 'mongodb';
import type { Access } from '../../domain/settings/access';
import { type Channel, channels } from './channels';
import type { Store } from '../store';
import { type Integration, integrations } from '../callers/integrations';
import { type Operator, operators } from '../callers/operators';

/** Binds an ERP's tokens, or unbinds them where a value is empty. @returns null when there is no such integration */
export const setAccess = (store: Store, id: string, access: Access): Promise<Integration | null> =>
  bind(integrations(store), { _id: id }, 'access', access);

/** The same for a customer's keys. */
export const setKeyAccess = (store: Store, slug: string, access: Access): Promise<Channel | null> =>
  bind(channels(store), { _id: slug }, 'key_access', access);

/** The same for an operator's token. @param name as `gdx operator list` shows it */
export const setOperatorAccess = (store: Store, name: string, access: Access): Promise<Operator | null> =>
  bind(operators(store), { name }, 'access', access);

function bind<T extends object>(
  holders: Collection<T>,
  whose: Filter<T>,
  field: string,
  access: Access,
): Promise<WithId<T> | null> {
  const bounds = Object.fromEntries(
    Object.entries(access).map(([name, value]) => [`${field}.${name}`, value]),
  );
  return holders.findOneAndUpdate(
    whose,
    { $set: bounds as MatchKeysAndValues<T> },
    { returnDocument: 'after' },
  );
}
