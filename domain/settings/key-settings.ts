import { rawPublicKey } from './raw-keys';
import { readSecretKey } from './secret-key';
import type { Given } from './setting';

/** The keys that seal and open customers' secrets, 32 bytes each. */
export interface CustomerKeys {
  /** Seals secrets. */
  publicKey: Buffer;
  /** Open secrets, the current key first. Empty in a process that only seals. */
  privateKeys: Buffer[];
}

// Everybody knows this key, so production refuses it.
export const DEVELOPMENT_KEY = Buffer.from('gdx development key, not secret!');
const DEVELOPMENT_CUSTOMER_KEY = Buffer.from('gdx development key of customers');

export const DEVELOPMENT_CUSTOMER_KEYS: CustomerKeys = {
  publicKey: rawPublicKey('X25519', DEVELOPMENT_CUSTOMER_KEY),
  privateKeys: [DEVELOPMENT_CUSTOMER_KEY],
};

export const MAKE_KEY = ' (openssl rand -base64 32)';
export const MAKE_PAIR = ': `gdx secrets keys` makes a pair';

/** Makes the reader of a key of 32 bytes. `how` is the command that makes such a key. */
export const keyOf =
  (name: string, how: string) =>
  (text: string, problems: string[]): Buffer | undefined => {
    const key = readSecretKey(text);
    if (text && !key) problems.push(`${name} must be 32 bytes as base64 or hex${how}`);
    return key;
  };

export const readOldKeys =
  (name: string) =>
  (text: string, problems: string[]): Buffer[] => {
    const keys = text.split(',').flatMap((one) => (one.trim() ? [readSecretKey(one.trim())] : []));
    if (keys.includes(undefined)) problems.push(`${name} must be keys of 32 bytes, as base64 or hex`);
    return keys.flatMap((key) => key ?? []);
  };

export function readPublicKey(text: string, problems: string[], { texts }: Given): Buffer | undefined {
  const named = keyOf('GDX_CUSTOMER_SECRETS_PUBLIC_KEY', MAKE_PAIR)(text, problems);
  const given = readSecretKey(texts.GDX_CUSTOMER_SECRETS_KEY ?? '');
  const own = given && rawPublicKey('X25519', given);
  if (own && named && !own.equals(named))
    problems.push('GDX_CUSTOMER_SECRETS_PUBLIC_KEY is not that of GDX_CUSTOMER_SECRETS_KEY');
  return named ?? own;
}

/**
 * The keys of this process. The worker opens secrets, the API only seals them, and gdx opens them if it has the private
 * key.
 */
export function customerKeysOf(
  keys: { own: Buffer | undefined; public: Buffer | undefined; old: Buffer[] },
  { part }: Pick<Given, 'part'>,
): CustomerKeys {
  const current = keys.public
    ? { publicKey: keys.public, privateKeys: keys.own ? [keys.own] : [] }
    : DEVELOPMENT_CUSTOMER_KEYS;
  return { ...current, privateKeys: part === 'api' ? [] : [...current.privateKeys, ...keys.old] };
}
