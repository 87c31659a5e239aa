// What receiver.mjs and postgres-receiver check a page with. Standard library only.
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_S = 5 * 60;

/**
 * @param secret `whsec_...`
 * @returns whether a page is genuine and fresh, by its headers and the bytes of its body as they came
 * @throws Error when there is no secret
 */
export function genuineBy(secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < 24) throw new Error('set SIGNING_SECRET: with an empty one, anybody could sign');

  return (headers, body) => {
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures = '',
    } = headers;
    if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
    const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    const expected = Buffer.from(`v1,${signed.digest('base64')}`);
    // While the secret is being changed there are two signatures: one that fits is enough.
    return signatures.split(' ').some((one) => {
      const given = Buffer.from(one);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  };
}
