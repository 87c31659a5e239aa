// Checks that a page comes from the service by its public key (`v1a`): you keep no secret. Standard library only.
//   PUBLIC_KEY=whpk_... node verify-v1a.cjs <webhook-id> <webhook-timestamp> <webhook-signature> < body
const { createPublicKey, verify } = require('node:crypto');
const { readFileSync } = require('node:fs');

const TOLERANCE_S = 5 * 60;
// What stands before the 32 bytes of an ed25519 key in its usual form (RFC 8410).
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * @param publicKey `whpk_...`
 * @param headers the values of webhook-id, webhook-timestamp and webhook-signature: `{ id, timestamp, signature }`
 * @param body the bytes as they came, a Buffer: before anything parses, unpacks or reformats them
 * @returns undefined when the page is genuine and fresh, else why not
 */
function whyNotSigned(publicKey, headers, body, nowSeconds = Date.now() / 1000) {
  const { id, timestamp, signature = '' } = headers; // anybody may send a request without them
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is no number of seconds';
  const raw = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64');
  if (raw.length !== 32) return 'the public key is missing';
  const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  // While the keys are being changed there are two signatures: one that fits is enough.
  const fits = signature.split(' ').some((one) => {
    const [version, text = ''] = one.split(',');
    return version === 'v1a' && verify(null, signed, key, Buffer.from(text, 'base64'));
  });
  if (!fits) return 'no signature fits';
  // An old page, signed by us, must not be played to you again by somebody else.
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_S)
    return 'the signature fits, but webhook-timestamp is not of these 5 minutes';
  return undefined;
}

module.exports = { whyNotSigned };

if (require.main === module) {
  const [id, timestamp, signature] = process.argv.slice(2);
  if (signature === undefined) {
    console.log('usage: node verify-v1a.cjs <webhook-id> <webhook-timestamp> <webhook-signature> < body');
    process.exit(2);
  }
  const problem = whyNotSigned(
    process.env['PUBLIC_KEY'] ?? '',
    { id, timestamp, signature },
    readFileSync(0),
  );
  console.log(problem ?? 'genuine');
  process.exitCode = problem ? 1 : 0;
}
