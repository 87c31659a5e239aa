import { diffieHellman, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { CustomerKeys } from '../../domain/settings/key-settings';
import { keepLast } from '../../domain/records/keep-last';
import { privateKeyFrom, publicKeyFrom, rawPublicKey } from '../../domain/settings/raw-keys';
import type { CustomerSecrets } from '../store';
import { StoreMismatch } from '../store-mismatch';
import { decrypt, deriveKey, encrypt } from './seal';

/** Sealed to a key that this process was not given. */
export class CustomerKeyMissing extends StoreMismatch {
  override name = 'CustomerKeyMissing';

  constructor(owner: string, keyId: string) {
    super(
      `the secret of ${owner} is sealed to a key that is not here (${keyId})`,
      'set GDX_CUSTOMER_SECRETS_KEY to the private key that the worker has, or run `gdx secrets rewrap` with the earlier one in GDX_CUSTOMER_SECRETS_KEY_OLD',
    );
  }
}

// key id (4 bytes), ephemeral public key (32), then what `encrypt` returns
const KEY_ID_END = 4;
const EPHEMERAL_END = 36;
// Four secrets of 5,000 channels, in about 5 MB.
const MOST_AGREED = 20_000;

/** Seals to an X25519 key: a key pair made for each secret agrees on the key that encrypts it. */
export function createCustomerSecrets({ publicKey, privateKeys }: CustomerKeys): CustomerSecrets {
  const recipient = publicKeyFrom('X25519', publicKey);
  const known = privateKeys.map((raw) => {
    const own = rawPublicKey('X25519', raw);
    const privateKey = privateKeyFrom('X25519', raw);
    // Agreed on once for each secret, and not once for each page that is signed with it.
    const agreed = keepLast(MOST_AGREED, (ephemeral) => {
      const bytes = Buffer.from(ephemeral, 'hex');
      return agreedKey(privateKey, publicKeyFrom('X25519', bytes), bytes, own);
    });
    return { id: keyId(own), agreed };
  });
  return {
    async seal(owner, secret) {
      const made = generateKeyPairSync('x25519');
      const ephemeral = rawOf(made.publicKey);
      const key = agreedKey(made.privateKey, recipient, ephemeral, publicKey);
      return Buffer.concat([keyId(publicKey), ephemeral, encrypt(key, owner, secret)]);
    },
    async unseal(owner, sealed) {
      const id = sealed.subarray(0, KEY_ID_END);
      const ours = known.find((one) => one.id.equals(id));
      if (!ours) throw new CustomerKeyMissing(owner, id.toString('hex'));
      const key = ours.agreed(sealed.toString('hex', KEY_ID_END, EPHEMERAL_END));
      return decrypt(key, owner, sealed.subarray(EPHEMERAL_END));
    },
    canOpen: known.length > 0,
    isCurrent: (sealed) => keyId(publicKey).equals(sealed.subarray(0, KEY_ID_END)),
  };
}

/** A new pair, as base64: the private key for the worker, the public one for whoever seals. */
export function newCustomerKeys(): { privateKey: string; publicKey: string } {
  const raw = randomBytes(32);
  return { privateKey: raw.toString('base64'), publicKey: rawPublicKey('X25519', raw).toString('base64') };
}

/** Bound to both public keys, so that no other pair agrees on the same one. */
function agreedKey(
  privateKey: KeyObject,
  publicKey: KeyObject,
  ephemeral: Buffer,
  recipient: Buffer,
): Buffer {
  const shared = diffieHellman({ privateKey, publicKey });
  return deriveKey(shared, `customer secret ${ephemeral.toString('hex')} ${recipient.toString('hex')}`);
}

const rawOf = (publicKey: KeyObject) => publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);

const keyId = (publicKey: Buffer) => deriveKey(publicKey, 'customer key id', KEY_ID_END);
