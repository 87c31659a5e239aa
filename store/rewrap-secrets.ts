import type { Store } from './connect';
import { keptKeyOwner, type KeptKey } from './hash-key';
import { isCurrent, seal, unseal } from './seal';

/** What became of the sealed values of one kind. */
export interface Rewrapped {
  kind: string;
  /** Sealed with the current key already. */
  current: number;
  rewrapped: number;
  /** Whose could not be opened, and why. */
  unopened: { owner: string; why: string }[];
}

type Sealed = { _id: string } & Record<string, unknown>;

/** Where a collection keeps sealed values: the path of each in one document. */
interface Place {
  collection: string;
  paths(document: Sealed): string[];
  owner(document: Sealed): string;
}

const own = ({ _id }: Sealed) => _id;

const PLACES: Place[] = [
  {
    collection: 'keys',
    paths: () => ['sealed'],
    owner: (document) => keptKeyOwner(document as unknown as KeptKey),
  },
  {
    collection: 'channels',
    paths: ({ signing_secrets = [] }) => [
      'authorization',
      ...(signing_secrets as unknown[]).map((_, index) => `signing_secrets.${index}.sealed`),
    ],
    owner: own,
  },
  { collection: 'sessions', paths: () => ['phone'], owner: own },
  { collection: 'sign_in_codes', paths: () => ['shown'], owner: own },
];

/**
 * Seals everything with the current key that an older one has sealed. Can be cut off and called again; what somebody
 * changes meanwhile is left to him.
 */
export async function rewrapSecrets(store: Store, { dryRun }: { dryRun: boolean }): Promise<Rewrapped[]> {
  const all: Rewrapped[] = [];
  for (const place of PLACES) {
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
  { collection, owner }: Place,
  { document, path, dryRun }: { document: Sealed; path: string; dryRun: boolean },
  done: Rewrapped,
): Promise<void> {
  const before = valueAt(document, path);
  if (before === undefined) return;
  if (isCurrent(store, before)) return void (done.current += 1);
  try {
    const after = seal(store, owner(document), unseal(store, owner(document), before));
    if (!dryRun) {
      const filter = { _id: document._id, [path]: before };
      await store.db.collection<Sealed>(collection).updateOne(filter, { $set: { [path]: after } });
    }
    done.rewrapped += 1;
  } catch (error) {
    done.unopened.push({ owner: owner(document), why: (error as Error).message });
  }
}

function valueAt(document: Sealed, path: string): Buffer | undefined {
  const steps = path.split('.');
  const found = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step],
    document,
  );
  return found as Buffer | undefined;
}
