import type { Command } from '../../domain/records/commands';
import { LONGEST_COMPANY_ID } from '../../domain/records/company-id';
import { LONGEST_LINE } from '../../domain/text/one-line';
import { MAX_RECORD_MIB, RecordTooLarge } from '../../domain/records/record-too-large';
import { MalformedBody, parseStrictJson } from '../../domain/records/strict-json';
import { tryRendering } from '../../domain/records/try-rendering';
import { MAX_PUSH_MIB, recordsOf, validatePush } from '../../domain/records/validate-push';
import { placeInRequest, requestBody } from './request-body';

/** A problem of a record: the path of a field, empty for the whole record, and the text. */
type Refusal = [path: string, problem: string];

const MIB = 2 ** 20;
// Only the service knows the token's company. This one makes a record as large as any company can.
export const LARGEST_COMPANY = { id: 'x'.repeat(LONGEST_COMPANY_ID), name: '\u20ac'.repeat(LONGEST_LINE) };
// No record grows by more than this factor when it is stored. A record below the limit divided by it need not be
// rendered to know its size.
export const MOST_GROWTH = 11;

/**
 * The reasons why the service would refuse a record: its own rules, applied to the bytes that are sent.
 * @param text as `recordText` writes it
 */
export function refusalsOf(command: Command, text: string): Refusal[] {
  const body = requestBody(command, [text]);
  if (body.length > MAX_PUSH_MIB * MIB) return [['', `makes a request of more than ${MAX_PUSH_MIB} MiB`]];
  const { recordType } = command;
  const place = placeInRequest(command, 0);
  try {
    const checked = validatePush(parseStrictJson(body));
    if (!checked.ok)
      return Object.entries(checked.messages).map(([path, of]) => [path.slice(place.length), of.join(', ')]);
    if (body.length * MOST_GROWTH > MAX_RECORD_MIB * MIB)
      for (const record of recordsOf(checked.push, recordType))
        tryRendering(recordType, record, LARGEST_COMPANY);
    return [];
  } catch (error) {
    if (error instanceof RecordTooLarge)
      return [['', `is larger than ${MAX_RECORD_MIB} MiB as it is stored`]];
    if (error instanceof MalformedBody)
      return [['', `as it is sent: ${error.message.replace(`${place}.`, '')}`]];
    throw error;
  }
}
