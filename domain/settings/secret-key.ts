const LENGTH = 32;
const FEWEST_DIFFERENT = 16; // of 32 random bytes about 30 are different, and practically never fewer than 16

/** Reads 32 bytes in hex or base64; undefined for other texts. */
export function readSecretKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  return key.length === LENGTH ? key : undefined;
}

/** Whether a key looks typed or counted instead of random. */
export function isWeakKey(key: Buffer): boolean {
  const bytes = [...key];
  const steps = new Set(bytes.slice(1).map((byte, index) => (byte - bytes[index]! + 256) % 256));
  const readable = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return new Set(bytes).size < FEWEST_DIFFERENT || steps.size === 1 || readable;
}

/** Whether a text is a signing secret of Standard Webhooks 1.0.0: `whsec_` and 24 to 64 bytes in base64. */
export function isSigningSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const { length } = Buffer.from(text.slice('whsec_'.length), 'base64');
  return length >= 24 && length <= 64;
}
