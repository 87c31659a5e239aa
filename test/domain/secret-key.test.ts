import { isSigningSecret, isWeakKey, readSecretKey } from '../../domain/settings/secret-key';

const KEY = Buffer.from('9f1c44e07ab2d3586e0b91c7f4258da3bb60178ce2d94f36a85107ee4bd2c96f', 'hex');

test('a key is 32 bytes as hex or base64', () => {
  expect(readSecretKey(KEY.toString('hex'))).toEqual(KEY);
  expect(readSecretKey(KEY.toString('hex').toUpperCase())).toEqual(KEY);
  expect(readSecretKey(KEY.toString('base64'))).toEqual(KEY);
});

test.each([KEY.toString('hex').slice(2), `${KEY.toString('hex')}x`, 'short'])('%s is no key', (text) =>
  expect(readSecretKey(text)).toBeUndefined(),
);

const sequence = (step: number) => Buffer.from(Array.from({ length: 32 }, (_, index) => 240 + index * step));
const repeating = (different: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => KEY[index % different]!));
const typed = (last: string) => Buffer.from(`~ Corn, wheat & soy from 3 farms${last}`.slice(-32));

test.each([
  ['counts up', sequence(1)],
  ['counts down in threes', sequence(-3)],
  ['has 15 different bytes', repeating(15)],
  ['is typed text', typed('')],
  ['is typed text with a tilde', typed('~')],
  ['is typed text with a space', typed(' ')],
])('a key that %s is weak', (_, key) => expect(isWeakKey(key)).toBe(true));

test.each([
  ['is random', KEY],
  ['has 16 different bytes', repeating(16)],
  ['is text and a delete character', typed('\u007f')],
  ['is text and a control character', typed('\u001f')],
])('a key that %s is not', (_, key) => expect(isWeakKey(key)).toBe(false));

const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;

test.each([secret(24), secret(32), secret(64)])('%s is a signing secret', (text) =>
  expect(isSigningSecret(text)).toBe(true),
);

test.each([
  secret(23),
  secret(65),
  secret(32).slice('whsec_'.length),
  `x${secret(32)}`,
  `${secret(24)}===`,
  `${secret(32)} `,
])('%j is none', (text) => expect(isSigningSecret(text)).toBe(false));
