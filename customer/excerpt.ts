import { masked } from '../domain/masked';

const EXCERPT_BYTES = 512;
const SHORTEST_SECRET = 8;

/**
 * The beginning of a customer's response as operators see it: without our secrets, whole or in part, without phones,
 * and without control characters.
 */
export function excerpt(answer: string, secrets: (string | undefined)[]): string {
  // before the text is cut: half a secret would not be found
  const clean = secrets
    .flatMap((secret) => (secret ? partsOf(secret) : []))
    .reduce((text, part) => text.replaceAll(part, '***'), answer);
  return Buffer.from(masked(clean)).subarray(0, EXCERPT_BYTES).toString('utf8');
}

/** "Bearer abc" may come back as "abc", and Basic credentials as what they encode. */
function partsOf(secret: string): string[] {
  const words = secret.split(/\s+/).filter((word) => word.length >= SHORTEST_SECRET);
  const [, encoded] = /^Basic\s+(\S+)$/i.exec(secret) ?? [];
  const pair = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  return [secret, ...words, pair, password].filter((part) => part.length > 0);
}
