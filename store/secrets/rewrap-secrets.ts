import type { CustomerSecrets, Store } from '../store';
import { channelOwner } from './channel-seal';
import { linkKeyOwner } from './link-keys';
import { isCurrent, seal, unseal } from './seal';

/** The result for the sealed values of one collection. */
export interface Rewrapped {
  kind: string;
  /** Sealed with the current key already. */
  current: number;
  rewrapped: number;
  /** Values that could not be opened, and why. */
  unopened: { owner: string; why: string }[];
}

type Sealed = { _id: string } & Record<string, unknown>;

/** The sealed fields of a collection: their paths in one document. */
interface SealedFields {
  collection: string;
  paths(document: Sealed): string[];
  owner(document: Sealed): string;
}

const own = ({ _id }: Sealed) => _id;

const SEALED_FIELDS: SealedFields[] = [
  {
    collection: 'keys',
    paths: () => ['sealed', 'previous', 'to_worker'],
    owner: ({ _id }) => `key/${_id}`,
  },
  {
    collection: 'channels',
    paths: ({ signing_secrets = [], headers = [] }) => [
      'authorization',
      ...(headers as unknown[]).map((_, index) => `headers.${index}.sealed`),
      ...(signing_secrets as unknown[]).flatMap((_, index) => [
        `signing_secrets.${index}.sealed`,
        `signing_secrets.${index}.pair.sealed`,
      ]),
    ],
    owner: (document) => channelOwner(document as Sealed & { base_url: string }),
  },
  {
    collection: 'link_keys',
    paths: ({ keys = [] }) => (keys as unknown[]).map((_, index) => `keys.${index}.sealed`),
    owner: linkKeyOwner,
  },
  { collection: 'sessions', paths: () => ['phone', 'typed'], owner: own },
  { collection: 'sign_in_codes', paths: () => ['shown'], owner: own },
  { collection: 'operator_sessions', paths: () => ['kept'], owner: own },
  { collection: 'customer_sessions', paths: () => ['kept'], owner: own },
];

/**
 * Reseals with the current keys everything that older ones have sealed. Can be interrupted and repeated; concurrent changes win.
 */
export async function rewrapSecrets(store: Store, { dryRun }: { dryRun: boolean }): Promise<Rewrapped[]> {
  const all: Rewrapped[] = [];
  for (const place of SEALED_FIELDS) {
    const done: Rewrapped = { kind: place.collection, current: 0, rewrapped: 0, unopened: [] };
    for await (const document of store.db.collection<Sealed>(place.collection).find()) {
      for (const path of place.paths(document))
        await rewrapOne(store, place, { document, path, dryRun }, done);
    }
    all.push(done);
  }
  return all;
}

async function rewrapOne(
  store: Store,
  place: SealedFields,
  { document, path, dryRun }: { document: Sealed; path: string; dryRun: boolean },
  done: Rewrapped,
): Promise<void> {
  const before = valueAt(document, path);
  if (!before) return;
  const owner = place.owner(document);
  const keys = isToWorker(place, path) ? store.customerSecrets : ownKeys(store);
  if (keys.isCurrent(before)) return void (done.current += 1);
  try {
    const after = await keys.seal(owner, await keys.unseal(owner, before));
    // Only if neither it nor the address that it is sealed for has changed in between.
    const asRead = { _id: document._id, [path]: before, base_url: document['base_url'] ?? null };
    const collection = store.db.collection<Sealed>(place.collection);
    if (!dryRun) await collection.updateOne(asRead, { $set: { [path]: after } });
    done.rewrapped += 1;
  } catch (error) {
    done.unopened.push({ owner, why: (error as Error).message });
  }
}

const isToWorker = ({ collection }: SealedFields, path: string) =>
  collection === 'channels' || path === 'to_worker';

const ownKeys = (store: Store): Omit<CustomerSecrets, 'canOpen'> => ({
  seal: async (owner, secret) => seal(store, owner, secret),
  unseal: async (owner, sealed) => unseal(store, owner, sealed),
  isCurrent: (sealed) => isCurrent(store, sealed),
});

function valueAt(document: Sealed, path: string): Buffer | null | undefined {
  const steps = path.split('.');
  const found = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step],
    document,
  );
  return found as Buffer | null | undefined;
}
