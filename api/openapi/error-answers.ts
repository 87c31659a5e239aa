import { Type } from '@sinclair/typebox';
import { ERROR_STATUS, type ErrorCode } from '../http/http-error';
import type { RouteTraits } from '../http/route';
import { ref, type AnswerDescription } from './operation';

/** The cause of each error (docs/contract.md A2). */
const WHEN: Record<ErrorCode, string> = {
  MALFORMED_BODY: 'The body is not strict JSON in UTF-8.',
  UNAUTHENTICATED: 'The token is missing, unknown, revoked or of the wrong kind.',
  NOT_FOUND: 'There is nothing at this address, or the key does not own it.',
  METHOD_NOT_ALLOWED: 'The address takes other methods; `Allow` names them.',
  ACCOUNT_SHARED: 'A farmer shares the account with you: nobody asks you to delete it.',
  CHANNEL_PAUSED: 'The operator has paused the channel: no page is given out until it is resumed.',
  CHANNEL_PUSHED: 'The pages of this channel are posted to you: none waits here.',
  PAGE_NOT_WAITING: 'This page is not waiting: get the next one.',
  PAYLOAD_TOO_LARGE: 'The body, unpacked, is larger than this route takes.',
  UNSUPPORTED_MEDIA_TYPE: 'Not application/json in UTF-8, plain or gzip.',
  VALIDATION_ERROR: 'The content is wrong; `validation_messages` names every field.',
  REQUEST_ID_REUSED: 'The X-Request-ID was used before, with another body.',
  RATE_LIMITED: 'Too many requests: wait as long as `Retry-After` says.',
  INTERNAL: 'A defect on our side. The body may be missing or not JSON.',
  UNAVAILABLE: 'Not now: wait as long as `Retry-After` says, then send the same again.',
  MALFORMED_REQUEST: 'What came is not HTTP.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
};

const EXAMPLE = {
  message: 'The request is not valid: validation_messages names every field.',
  request_id: '7d4f3c7e-6c0e-4a52-9a55-1f9a1c1de6a1',
};
const MESSAGES = { timestamp: ['is required'] };

const ERROR_CODES = Object.keys(WHEN) as ErrorCode[];

export const errorSchema = Type.Object(
  {
    code: Type.Unsafe<string>({ type: 'string', enum: ERROR_CODES, description: 'For programs.' }),
    message: Type.String({ description: 'For people.' }),
    request_id: Type.String({ description: 'The `X-Request-ID`: tell it to the operator.' }),
    validation_messages: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'By field, such as `data[0].update-elevators.elevators[3].phone`; at most 100.',
      }),
    ),
  },
  { description: 'Every error has this body; 5xx that a proxy answers may not.' },
);

/** The answers of a route for these codes, one for each status. */
export function errorAnswers(
  codes: readonly ErrorCode[],
  { maxBodyBytes = 0 }: Pick<RouteTraits, 'maxBodyBytes'>,
): Record<string, AnswerDescription> {
  const when = { ...WHEN, PAYLOAD_TOO_LARGE: `The body is over ${sizeOf(maxBodyBytes)}, unpacked.` };
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))];
  const ofStatus = (status: number) => codes.filter((code) => ERROR_STATUS[code] === status);
  return Object.fromEntries(statuses.map((status) => [status, errorAnswer(ofStatus(status), when)]));
}

const sizeOf = (bytes: number) => (bytes < 2 ** 20 ? `${bytes / 1024} KiB` : `${bytes / 2 ** 20} MiB`);

function errorAnswer(codes: ErrorCode[], when: Record<ErrorCode, string>): AnswerDescription {
  const waits = codes.some((code) => code === 'RATE_LIMITED' || code === 'UNAVAILABLE');
  const named = codes.every((code) => code === 'VALIDATION_ERROR');
  const only = { properties: { code: { enum: codes } }, ...(named && { required: ['validation_messages'] }) };
  const exampleOf = (code: ErrorCode) => ({
    code,
    ...EXAMPLE,
    ...(code === 'VALIDATION_ERROR'
      ? { validation_messages: MESSAGES }
      : { message: when[code].replaceAll('`', '') }),
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${when[code]}`).join('\n\n'),
    headers: {
      ...(waits && { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } }),
      ...(codes.includes('UNAUTHENTICATED') && { 'WWW-Authenticate': { schema: { type: 'string' } } }),
    },
    content: {
      'application/json': {
        schema: { allOf: [ref('Error'), only] },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}
