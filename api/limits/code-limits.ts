import {
  type AttemptLimit,
  countAttempt,
  knownBrowserCounts,
  phoneCounts,
  uncountAttempt,
} from '../../store/codes/attempt-counts';
import type { Store } from '../../store/store';
import { addressKey } from './rate-limit';
import type { CodeSettings } from '../../domain/settings-rules';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/spans';

/** Who asks for a code to a phone. */
export interface Asking {
  phone: string;
  address: string;
  /** Undefined on "who sees my grain data". */
  channel: string | undefined;
  /** A browser that has entered a right code of this phone before (docs/decisions/0018). */
  device: string | undefined;
}

/** One count: its name, and how many fit in its window. */
type Count = AttemptLimit & { what: string };

/** Counts one request for a code. @returns 0, or the milliseconds to wait when it was one too many */
export async function countCode(store: Store, counts: Count[]): Promise<number> {
  for (const [index, count] of counts.entries()) {
    const waitMs = await countAttempt(store, count.what, count);
    if (waitMs === 0) continue;
    // No code is sent, so the counts before this one are taken back: an address over its limit must not use up those of others.
    await uncountCode(store, counts.slice(0, index));
    return waitMs;
  }
  return 0;
}

export async function uncountCode(store: Store, counts: Count[]): Promise<void> {
  for (const { what } of counts) await uncountAttempt(store, what);
}

/** What a request counts against. A known browser has counts of its own, so that nobody else can use them up. */
export function codeCounts(
  asking: Asking,
  settings: { codes: CodeSettings },
): { own: Count[]; ofAddress: Count[]; shared: Count[] } {
  const { phone, device, address, channel } = asking;
  const { codes, codesDay } = phoneCounts(phone, device);
  const own = [
    { what: codes, limit: 3, windowMs: 10 * MINUTE_MS },
    { what: codesDay, limit: 10, windowMs: DAY_MS },
  ];
  if (device) return { own: [...own, ofKnownBrowsers(phone)], ofAddress: [], shared: [] };
  // Many farmers share one address of a cellular network, and a customer writes to all its farmers on one day.
  const ofAddress = [{ what: `code/address/${addressKey(address)}`, limit: 60, windowMs: 10 * MINUTE_MS }];
  const whose =
    channel === undefined ? ['sharing', 'sharing-day'] : [`channel/${channel}`, `channel-day/${channel}`];
  const shared = [
    { what: `code/${whose[0]}`, limit: 1_000, windowMs: 10 * MINUTE_MS },
    { what: `code/${whose[1]}`, limit: settings.codes.perChannelDay, windowMs: DAY_MS },
    { what: 'code/day', limit: settings.codes.perDay, windowMs: DAY_MS },
  ];
  return { own, ofAddress, shared };
}

// One limit for all known browsers of a phone: stolen cookies, or those of an earlier owner, give no more codes.
const ofKnownBrowsers = (phone: string): Count => ({
  what: knownBrowserCounts(phone).codes,
  limit: 30,
  windowMs: DAY_MS,
});

const UNLISTED_OF_ADDRESS = 10;

/** Further limits for codes to unlisted phones. A failed code stays counted. */
export const unlistedCounts = ({ address }: Asking, { codes }: { codes: CodeSettings }): Count[] => [
  { what: `code/unlisted/${addressKey(address)}`, limit: UNLISTED_OF_ADDRESS, windowMs: DAY_MS },
  { what: 'code/unlisted', limit: codes.unlistedPerDay, windowMs: DAY_MS },
];

/**
 * Counts one guess at a code of this phone, before it is compared. A right guess stays counted too (docs/contract.md F3).
 * @returns 0, or the milliseconds to wait
 */
export async function countGuess(
  store: Store,
  { phone, device }: Pick<Asking, 'phone' | 'device'>,
): Promise<number> {
  const { guesses, guessesDay } = phoneCounts(phone, device);
  const inTheHour = await countAttempt(store, guesses, { limit: 30, windowMs: HOUR_MS });
  const inTheDay = inTheHour || (await countAttempt(store, guessesDay, { limit: 100, windowMs: DAY_MS }));
  if (inTheDay > 0 || !device) return inTheDay;
  const ofAll = { limit: 300, windowMs: DAY_MS };
  return countAttempt(store, knownBrowserCounts(phone).guesses, ofAll);
}
