import { diffieHellman, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { privateKeyFrom, publicKeyFrom, rawPublicKey } from '../../domain/settings/raw-keys';

test('what a raw Ed25519 key signs, its raw public key verifies', () => {
  const raw = randomBytes(32);
  const publicKey = publicKeyFrom('Ed25519', rawPublicKey('Ed25519', raw));
  const message = Buffer.from('page');
  expect(verify(null, message, publicKey, sign(null, message, privateKeyFrom('Ed25519', raw)))).toBe(true);
});

test('two sides agree by raw X25519 keys', () => {
  const raw = randomBytes(32);
  const other = generateKeyPairSync('x25519');
  const theirs = publicKeyFrom(
    'X25519',
    other.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  );
  const mine = publicKeyFrom('X25519', rawPublicKey('X25519', raw));
  const agreed = diffieHellman({ privateKey: privateKeyFrom('X25519', raw), publicKey: theirs });
  expect(agreed).toEqual(diffieHellman({ privateKey: other.privateKey, publicKey: mine }));
});
