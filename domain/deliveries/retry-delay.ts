// How long a delivery waits after an answer that did not confirm its page (docs/architecture.md#failures-and-retries):
//   try      1    2    3    4    5     6     7     8      9      10 and later
//   at most  1 s  2 s  4 s  8 s  16 s  32 s  64 s  128 s  256 s  300 s
const FIRST_MS = 1_000;
const MAX_MS = 300_000;
const RETRY_AFTER_MS = { min: 1_000, max: 3_600_000 };

/**
 * Milliseconds until the next attempt.
 * @param failures the number of failed attempts in a row, from 1
 * @param random in [0, 1): jitter: spreads the waits of many channels over the upper half
 */
export function retryDelay(failures: number, random: number): number {
  const full = Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS);
  return Math.round(full / 2 + (full / 2) * random);
}

const DAY = /^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*$/;

/**
 * Reads a Retry-After header (RFC 9110 10.2.3): seconds or an HTTP date. A proxy may have added a second value; the
 * longest counts.
 * @returns milliseconds from 1 s to 1 h; undefined without a valid value
 */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  const waits = valuesIn(text ?? '').map((value) => waitOf(value.trim(), now));
  const longest = Math.max(...waits.filter((wait) => !Number.isNaN(wait)));
  if (longest === -Infinity) return undefined;
  return Math.min(Math.max(longest, RETRY_AFTER_MS.min), RETRY_AFTER_MS.max);
}

/** Splits at commas, except the one after the weekday of a date. */
function valuesIn(text: string): string[] {
  const pieces = text.split(',');
  return pieces.flatMap((piece, index) => {
    if (DAY.test(piece)) return [];
    const day = pieces[index - 1] ?? '';
    return [DAY.test(day) ? `${day},${piece}` : piece];
  });
}

const waitOf = (value: string, now: number) =>
  /^\d+$/.test(value) ? Number(value) * 1_000 : parseDate(value) - now;

// Date.parse reads "-5" as the first of May; a date without a zone is in GMT.
function parseDate(text: string): number {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

/**
 * The longest total wait of a delivery for its customer, before it closes as failed
 * (docs/architecture.md#failures-and-retries).
 */
export function retryBudget(cadenceMs: number): number {
  return Math.max(30_000, 0.8 * cadenceMs);
}
