import { rawPublicKey } from './raw-keys';
import { readSecretKey } from './secret-key';

// The rules of keys. Each adds its findings to `problems`, so that all are reported at once.

/** Which process reads the settings: each is given only the keys that it needs (docs/decisions/0024). */
export type Part = 'api' | 'worker' | 'gdx';

/** The keys of customers' secrets, 32 bytes each. */
export interface CustomerKeys {
  /** Secrets are sealed to it. */
  publicKey: Buffer;
  /** Open them, the current one first; none where a process only seals. */
  privateKeys: Buffer[];
}

// Public, therefore refused in production.
const DEVELOPMENT_KEY = Buffer.from('gdx development key, not secret!');
const DEVELOPMENT_CUSTOMER_KEY = Buffer.from('gdx development key of customers');

export const DEVELOPMENT_CUSTOMER_KEYS: CustomerKeys = {
  publicKey: rawPublicKey('X25519', DEVELOPMENT_CUSTOMER_KEY),
  privateKeys: [DEVELOPMENT_CUSTOMER_KEY],
};

/**
 * The key that encrypts what the API reads again; the development key outside production where none is set. The worker
 * needs none and gets none.
 */
export function readSealingKey(
  text: string,
  production: boolean,
  part: Part,
  problems: string[],
): Buffer | undefined {
  if (part === 'worker') {
    if (production && text)
      problems.push('GDX_SECRET_KEY must not be given to the worker: it opens what only the API may read');
    return undefined;
  }
  if (!text) {
    if (production) problems.push('GDX_SECRET_KEY must be set in production (openssl rand -base64 32)');
    return DEVELOPMENT_KEY;
  }
  const key = readSecretKey(text);
  if (!key) problems.push('GDX_SECRET_KEY must be 32 bytes as base64 or hex (openssl rand -base64 32)');
  return key ?? DEVELOPMENT_KEY;
}

export function readOldKeys(name: string, text: string, problems: string[]): Buffer[] {
  const keys = text.split(',').flatMap((one) => (one.trim() ? [readSecretKey(one.trim())] : []));
  if (keys.includes(undefined)) problems.push(`${name} must be keys of 32 bytes, as base64 or hex`);
  return keys.flatMap((key) => key ?? []);
}

const MAKE_PAIR = '`gdx secrets keys` makes a pair';

/** The worker opens, the API only seals, and gdx opens where it is given the private key. */
export function readCustomerKeys(
  text: { private: string; public: string; old: string },
  production: boolean,
  part: Part,
  problems: string[],
): CustomerKeys {
  const [given, named] = [readSecretKey(text.private), readSecretKey(text.public)];
  const old = readOldKeys('GDX_CUSTOMER_SECRETS_KEY_OLD', text.old, problems);
  if (text.private && !given)
    problems.push(`GDX_CUSTOMER_SECRETS_KEY must be 32 bytes as base64 or hex: ${MAKE_PAIR}`);
  if (text.public && !named)
    problems.push(`GDX_CUSTOMER_SECRETS_PUBLIC_KEY must be 32 bytes as base64 or hex: ${MAKE_PAIR}`);
  const own = given && rawPublicKey('X25519', given);
  if (own && named && !own.equals(named))
    problems.push('GDX_CUSTOMER_SECRETS_PUBLIC_KEY is not that of GDX_CUSTOMER_SECRETS_KEY');
  if (production) problems.push(...wrongCustomerKeys(text, part));
  const publicKey = named ?? own;
  const keys = publicKey ? { publicKey, privateKeys: given ? [given] : [] } : DEVELOPMENT_CUSTOMER_KEYS;
  return { ...keys, privateKeys: part === 'api' ? [] : [...keys.privateKeys, ...old] };
}

function wrongCustomerKeys(text: { private: string; public: string; old: string }, part: Part): string[] {
  const has = Boolean(text.private);
  if (part === 'worker' && !has) return [`GDX_CUSTOMER_SECRETS_KEY must be set in production: ${MAKE_PAIR}`];
  if (part === 'api' && (has || text.old))
    return [
      'GDX_CUSTOMER_SECRETS_KEY must not be given to the API: only the worker opens customers’ secrets',
    ];
  if (!has && !text.public)
    return [`GDX_CUSTOMER_SECRETS_PUBLIC_KEY must be set in production: ${MAKE_PAIR}`];
  return [];
}
