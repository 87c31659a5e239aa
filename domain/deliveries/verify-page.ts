import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_S = 5 * 60;

/** The headers of Standard Webhooks 1.0.0. */
interface SignatureHeaders {
  id: string;
  timestamp: string;
  /** One or more, separated by spaces. */
  signatures: string;
}

/**
 * Checks a page as a receiver does (docs/signature.md), by the `v1` signature of a secret.
 * @param secret `whsec_` and base64
 * @returns what is wrong with the page, or undefined
 */
export function flawOfPage(
  { id, timestamp, signatures }: SignatureHeaders,
  body: Buffer,
  { secret, now }: { secret: string; now: Date },
): string | undefined {
  const apart = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!(apart <= TOLERANCE_S)) return 'its timestamp is more than 5 minutes off';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${signed}`);
  const fits = signatures.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return fits ? undefined : 'no signature fits the secret';
}
