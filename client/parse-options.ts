import { InvalidArgumentError, Option } from 'commander';
import { wrongWord } from '../domain/records/erp-word';
import { parseCadence } from '../domain/deliveries/cadence';
import { partnerId } from '../domain/consent/link-parts';
import { NOT_ONE_LINE, oneLine } from '../domain/text/one-line';
import { parsePhone } from '../domain/text/parse-phone';
import { readPastInstant } from '../domain/time/past-instant';
import { trimmed } from '../domain/text/pasted-text';
import { wholeIn } from '../domain/text/whole-number';

/** Parses a past instant for `--timestamp` and `--since`. */
export function parseInstantOption(text: string): Date {
  const read = readPastInstant(text, Date.now());
  if (typeof read !== 'string') return read;
  throw new InvalidArgumentError(`It ${read}. Write it like 2026-10-01T00:00:00Z.`);
}

export const MAX_LIMIT = 200;

/** Makes the parser of a whole number. */
export const wholeNumber =
  (min: number, max: number, advice = `Use a number from ${min} to ${max}.`) =>
  (text: string): number => {
    const number = wholeIn({ min, max }, text);
    if (number !== undefined) return number;
    throw new InvalidArgumentError(advice);
  };

export const parseLimit = wholeNumber(1, MAX_LIMIT, `Use 1 to ${MAX_LIMIT}.`);

/** A non-empty text on one line. */
export function parseText(text: string): string {
  const line = oneLine(text);
  if (line !== undefined) return line;
  throw new InvalidArgumentError(NOT_ONE_LINE);
}

/** Parses a partner_id, by which a customer knows a farmer. */
export function parsePartnerId(text: string): string {
  const id = partnerId(trimmed(text));
  if (id !== undefined) return id;
  throw new InvalidArgumentError('It must be 1 to 128 characters without control characters.');
}

/** An option for a time, 1 second to 24 hours, in milliseconds. */
export const timeOption = (flags: string, description: string, usual: string) =>
  new Option(flags, description).argParser(parseTime).default(parseTime(usual), usual);

export function parseTime(text: string): number {
  const time = parseCadence(text);
  if (time === undefined) throw new InvalidArgumentError('Use a time like 30s, 15m or 1h.');
  return time;
}

/** A farmer's phone, as ten digits. */
export function parsePhoneArgument(text: string): string {
  const phone = parsePhone(text);
  if (phone !== undefined) return phone;
  throw new InvalidArgumentError('Use ten digits, or eleven with a leading 1.');
}

/** A day that an ERP may say it has pushed everything up to. */
export function wordOf(text: string): string {
  const wrong = wrongWord(text);
  if (wrong) throw new InvalidArgumentError(`It ${wrong}.`);
  return text;
}
