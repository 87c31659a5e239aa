const EXCERPT_BYTES = 512;

/**
 * The beginning of a customer's answer as operators see it: without what we have sent in confidence, and without the
 * control characters that a terminal would obey.
 */
export function excerpt(answer: string, secrets: (string | undefined)[]): string {
  // before it is cut: half a secret would not be found
  const clean = secrets.reduce<string>(
    (text, secret) => (secret ? text.replaceAll(secret, '***') : text),
    answer,
  );
  return Buffer.from(clean.replace(/\p{Cc}+/gu, ' '))
    .subarray(0, EXCERPT_BYTES)
    .toString('utf8');
}
