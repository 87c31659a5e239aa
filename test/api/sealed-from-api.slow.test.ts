import { readFileSync } from 'node:fs';
import { readConfig } from '../../config';
import { readSecretKey } from '../../domain/settings/secret-key';
import { createCustomerSecrets, newCustomerKeys } from '../../store/secrets/customer-secrets';
import { unseal } from '../../store/secrets/seal';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { newDatabaseUri } from '../setup/open-store';
import { startService } from '../setup/processes';
import { openStoreAt } from '../setup/open-store-at';

const pair = newCustomerKeys();
const OWNER = 'acme https://acme.example';

/** What a process holds, as whoever has taken it over reads it. */
function environmentOf(pid: number): NodeJS.ProcessEnv {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  );
}

/** Every value of a tree that is bytes. */
function bytesIn(tree: unknown): Buffer[] {
  if (Buffer.isBuffer(tree)) return [tree];
  return tree !== null && typeof tree === 'object' ? Object.values(tree).flatMap(bytesIn) : [];
}

async function everyDocument(store: Store): Promise<object[]> {
  const collections = await store.db.collections();
  return (await Promise.all(collections.map((one) => one.find().toArray()))).flat();
}

/** Tries every key in every way that the service knows. */
async function openWith(keys: Buffer[], owner: string, sealed: Buffer): Promise<string[]> {
  const opened: string[] = [];
  for (const key of keys) {
    const customers = createCustomerSecrets({ publicKey: key, privateKeys: [key] });
    await customers.unseal(owner, sealed).then(
      (text) => opened.push(text),
      () => {},
    );
    try {
      opened.push(unseal({ secretKey: key }, owner, sealed));
    } catch {
      // not this one
    }
  }
  return opened;
}

test('The API process, given its own environment and its own database user, can open no customer’s secret', async () => {
  const uri = newDatabaseUri();
  const GDX_CUSTOMER_SECRETS_PUBLIC_KEY = pair.publicKey;
  const { child } = await startService('api', { MONGODB_URI: uri, GDX_CUSTOMER_SECRETS_PUBLIC_KEY });
  const env = environmentOf(child.pid!);
  const { secretKey, oldSecretKeys, customerKeys } = readConfig(env, 'api');
  const store = await openStoreAt(uri, { keys: { secretKey, oldSecretKeys, customerKeys } });
  await addTestChannel(store, 'acme', 'https://acme.example', { authorization: 'Bearer geheim' });

  const documents = await everyDocument(store);
  const found = documents.flatMap(bytesIn);
  const hidden = [...found.flatMap((bytes) => bytes), ...bytesIn(customerKeys)];
  const inside = await Promise.all(found.map((sealed) => openWith([secretKey!], 'key/hash', sealed)));
  const keys = [
    ...Object.values(env).flatMap((text) => readSecretKey(text!) ?? []),
    ...[
      secretKey!,
      ...oldSecretKeys,
      ...hidden,
      ...inside.flat().flatMap((text) => readSecretKey(text) ?? []),
    ],
  ].filter(({ length }) => length === 32);
  const channel = documents.find((one) => 'signing_secrets' in one)!;
  const sealed = bytesIn(channel);
  expect([sealed.length, keys.length >= 3]).toEqual([3, true]);
  for (const one of sealed) expect(await openWith(keys, OWNER, one)).toEqual([]);

  // The worker's key opens all three: they are what was looked for.
  const workers = [readSecretKey(pair.privateKey)!];
  const theirs = createCustomerSecrets({ publicKey: customerKeys.publicKey, privateKeys: workers });
  const opened = await Promise.all(sealed.map((one) => theirs.unseal(OWNER, one)));
  expect(opened.sort()).toEqual([
    'Bearer geheim',
    expect.stringMatching(/^whsec_/),
    expect.stringMatching(/^whsk_/),
  ]);
});
