import {
  type AttemptLimit,
  countAttempt,
  msUntilAttempt,
  knownBrowserCounts,
  phoneCounts,
  uncountAttempt,
} from '../../store/codes/attempt-counts';
import type { Store } from '../../store/store';
import { addressKey } from './rate-limit';
import type { CodeSettings } from '../../domain/settings/settings-rules';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/spans';

/** Who asks for a code to a phone. */
export interface Asking {
  phone: string;
  address: string;
  /** Undefined on "who sees my grain data". */
  channel: string | undefined;
  /** A browser that has entered a right code of this phone before (docs/decisions/0018). */
  device: string | undefined;
  /** The customer has signed the link for this phone. */
  signed: boolean;
}

/** One count: its name, and how many fit in its window. */
type Count = AttemptLimit & { what: string };

/** Counts something once under each name, or under none. @returns 0, or the milliseconds to wait when it was one too many */
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
  const { phone, device, channel } = asking;
  const { codes, codesDay } = phoneCounts(phone, asking);
  const own = [
    { what: codes, limit: 3, windowMs: 10 * MINUTE_MS },
    { what: codesDay, limit: 10, windowMs: DAY_MS },
  ];
  if (device) return { own: [...own, ofKnownBrowsers(phone)], ofAddress: [], shared: [] };
  // Many farmers share one address of a cellular network, and a customer writes to all its farmers on one day.
  const address = `${sourceOf(asking)}/${addressKey(asking.address)}`;
  const ofAddress = [{ what: `code/address/${address}`, limit: 60, windowMs: 10 * MINUTE_MS }];
  const whose =
    channel === undefined ? ['sharing', 'sharing-day'] : [`channel/${channel}`, `channel-day/${channel}`];
  const shared = [
    { what: `code/${whose[0]}`, limit: 1_000, windowMs: 10 * MINUTE_MS },
    { what: `code/${whose[1]}`, limit: settings.codes.perChannelDay, windowMs: DAY_MS },
    { what: 'code/day', limit: settings.codes.perDay, windowMs: DAY_MS },
    ...unansweredCounts(asking, settings),
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
export function unlistedCounts(asking: Asking, { codes }: { codes: CodeSettings }): Count[] {
  const of = `code/unlisted/${sourceOf(asking)}`;
  return [
    { what: `${of}/${addressKey(asking.address)}`, limit: UNLISTED_OF_ADDRESS, windowMs: DAY_MS },
    { what: of, limit: codes.unlistedPerDay, windowMs: DAY_MS },
  ];
}

// What is counted over all phones: signed links by customer, since nobody else can make them; everything else together.
const sourceOf = ({ signed, channel }: Asking) => (signed ? `signed/${channel}` : 'open');

/**
 * Codes that were sent and not entered. A right code takes its own back, so that many farmers who sign in use up nothing,
 * and whoever asks for codes to other people's phones does (docs/decisions/0042).
 */
export function unansweredCounts(asking: Asking, { codes }: { codes: CodeSettings }): Count[] {
  const source = sourceOf(asking);
  const [ofHour, ofDay] = [Math.max(50, codes.perDay / 20), Math.max(100, codes.perDay / 4)];
  return [
    { what: `unanswered/${source}`, limit: ofHour, windowMs: HOUR_MS },
    { what: `unanswered-day/${source}`, limit: ofDay, windowMs: DAY_MS },
  ];
}

export type Digits = 6 | 8;

/**
 * The wrong guesses at codes of so many digits: of an address, and over all phones. Two digits more allow a hundred times
 * as many.
 */
function wrongCounts(asking: Asking, digits: Digits): Count[] {
  const [of, times] = [`wrong/${digits}/${sourceOf(asking)}`, digits === 6 ? 1 : 100];
  return [
    { what: `${of}/address/${addressKey(asking.address)}`, limit: 50 * times, windowMs: HOUR_MS },
    { what: of, limit: 100 * times, windowMs: HOUR_MS },
    { what: `${of}/day`, limit: 500 * times, windowMs: DAY_MS },
  ];
}

/** How long the next code has to be. In a known browser it is short, whatever others do. */
export async function digitsFor(store: Store, asking: Asking): Promise<Digits> {
  if (asking.device) return 6;
  for (const { what, limit } of wrongCounts(asking, 6))
    if ((await msUntilAttempt(store, what, limit)) > 0) return 8;
  return 6;
}

/** The counts of guesses over all phones, of which a right one takes its own back. */
const guessCounts = (asking: Asking, digits: Digits): Count[] =>
  asking.device ? [] : wrongCounts(asking, digits);

/**
 * Counts one guess at a code, before it is compared. A right guess stays counted for its phone (docs/contract.md F3).
 * @returns what to wait when it was one too many; `short`: a code of eight digits has to take the place of this one
 */
export async function countGuess(
  store: Store,
  asking: Asking,
  digits: Digits,
): Promise<'counted' | 'short' | { waitMs: number }> {
  const { phone, device } = asking;
  const { guesses, guessesDay } = phoneCounts(phone, asking);
  const inTheHour = await countAttempt(store, guesses, { limit: 30, windowMs: HOUR_MS });
  const inTheDay = inTheHour || (await countAttempt(store, guessesDay, { limit: 100, windowMs: DAY_MS }));
  if (inTheDay > 0) return { waitMs: inTheDay };
  const ofAll = { what: knownBrowserCounts(phone).guesses, limit: 300, windowMs: DAY_MS };
  const waitMs = await countCode(store, device ? [ofAll] : guessCounts(asking, digits));
  if (waitMs === 0) return 'counted';
  return digits < (await digitsFor(store, asking)) ? 'short' : { waitMs };
}

/** Takes back what a right code was counted for over all phones. */
export async function uncountRight(
  store: Store,
  asking: Asking,
  { codes, digits, known }: { codes: CodeSettings; digits: Digits; known: boolean },
): Promise<void> {
  const unanswered = known ? [] : unansweredCounts(asking, { codes });
  await uncountCode(store, [...guessCounts(asking, digits), ...unanswered]);
}
