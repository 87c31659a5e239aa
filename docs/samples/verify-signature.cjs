// Checks that a page comes from the service. Standard library only.
//   SIGNING_SECRET=whsec_... node verify-signature.cjs <webhook-id> <webhook-timestamp> <webhook-signature> < body
const { createHmac, timingSafeEqual } = require('node:crypto');
const { readFileSync } = require('node:fs');

const TOLERANCE_S = 5 * 60;

/**
 * @param secret `whsec_...`
 * @param headers the values of webhook-id, webhook-timestamp and webhook-signature: `{ id, timestamp, signature }`
 * @param body the bytes as they came, a Buffer: before anything parses, unpacks or reformats them
 * @returns undefined when the page is genuine and fresh, else why not
 */
function whyNotGenuine(secret, headers, body, nowSeconds = Date.now() / 1000) {
  const { id, timestamp, signature = '' } = headers; // anybody may send a request without them
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is no number of seconds';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < 24) return 'the signing secret is missing or cut off'; // with an empty one, anybody could sign
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${signed.digest('base64')}`);
  // While the secret is being changed there are two signatures: one that fits is enough.
  const fits = signature.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!fits) return 'no signature fits';
  // An old page, signed by us, must not be played to you again by somebody else.
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_S)
    return 'the signature fits, but webhook-timestamp is not of these 5 minutes';
  return undefined;
}

module.exports = { whyNotGenuine };

if (require.main === module) {
  const [id, timestamp, signature] = process.argv.slice(2);
  if (signature === undefined) {
    console.log(
      'usage: node verify-signature.cjs <webhook-id> <webhook-timestamp> <webhook-signature> < body',
    );
    process.exit(2);
  }
  const secret = process.env['SIGNING_SECRET'] ?? '';
  const problem = whyNotGenuine(secret, { id, timestamp, signature }, readFileSync(0));
  console.log(problem ?? 'genuine');
  process.exitCode = problem ? 1 : 0;
}
