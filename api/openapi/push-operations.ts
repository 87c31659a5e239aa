import { COMMANDS, RECORD_TYPES } from '../../domain/records/commands';
import { GIVEN_NAMES } from '../../domain/records/given-names';
import { WORD } from '../../domain/records/erp-word';
import { FULL_DATE } from '../../domain/records/schemas/formats';
import { isEntityType } from '../../domain/records/entity-types';
import { MAX_COMMANDS, MAX_RECORDS } from '../../domain/records/validate-push';
import { Type } from '@sinclair/typebox';
import { HELD_LIMIT } from '../erp/get-records';
import { PUSHES } from './examples';
import { inPath, json, query, ref, type Operation, withExamples } from './operation';
import { titleOf } from './record-schemas';

const SAID = {
  type: 'string',
  pattern: FULL_DATE.source,
  description:
    'The day up to which, by your own word, everything of this type was pushed, with this push at the latest. Customers are told it once they have confirmed all of that. The list may be empty.',
};

const commands = COMMANDS.map((command) => ({
  title: command.name,
  type: 'object',
  required: [command.name],
  maxProperties: 1,
  properties: {
    [command.name]: {
      type: 'object',
      required: [command.recordType],
      properties: {
        [command.recordType]: { type: 'array', items: { anyOf: [ref(titleOf(command)), ref('Deletion')] } },
        ...(isEntityType(command.recordType) && { [WORD]: SAID }),
      },
    },
  },
}));

/** The body of a push (docs/contract.md E1, E2). */
export const PUSH_SCHEMA = {
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_COMMANDS,
      description: `Commands, with at most ${MAX_RECORDS} records in all.`,
      items: { oneOf: commands },
    },
  },
};

const WARNINGS = {
  warning_count: 1,
  warnings: {
    'data[0].update-tickets.tickets[0].net_weight': ['is not gross_weight - tare_weight (off by -20)'],
  },
};

export const PUSH_OPERATIONS: Record<string, Operation> = {
  'POST /api/v1/push': {
    id: 'push',
    tag: 'push',
    summary: 'Push records of an ERP',
    description:
      'All or nothing: with 204 everything in the request is stored, durably; with anything else nothing is. A record ' +
      'is known by its `id` within the company; with equal content nothing changes. After a timeout, a 5xx or a 429 ' +
      'send the same body with the same `X-Request-ID`: it is stored once.',
    body: withExamples(
      'Commands. An optional field may be null or "", which leaves it out, except where the schema gives "" a meaning. ' +
        'Fields that are not listed are kept and passed on to channels of scope `all`, and to those of scope ' +
        '`subscribed` where the operator has noted that they name nobody. They may have any name but those that the feed ' +
        `gives (${GIVEN_NAMES.join(', ')}), which are refused at any depth.`,
      'Push',
      PUSHES,
    ),
    parameters: [
      query(
        'dry_run',
        'true: checks everything the same way, the request id too, answers 200, and stores nothing; no receipt is kept.',
        Type.Boolean(),
      ),
    ],
    answers: {
      200: json('A dry run: everything could be stored.', 'PushDryRun', { records: 1, ...WARNINGS }),
      204: { description: 'Everything is stored.' },
    },
    errors: ['REQUEST_ID_REUSED'],
  },
  'GET /api/v1/pushes/:request_id': {
    id: 'getPush',
    tag: 'push',
    summary: 'What a push did',
    description:
      'The receipt of a push of the same integration, kept for 72 hours. Warnings never refuse a push: the records are ' +
      'stored and fed on as they came.',
    parameters: [
      inPath(
        'request_id',
        'The `X-Request-ID` of the push, percent-encoded.',
        Type.String(),
        '7d4f3c7e-6c0e-4a52-9a55-1f9a1c1de6a1',
      ),
    ],
    answers: {
      200: json('Its receipt.', 'PushReport', {
        request_id: '7d4f3c7e-6c0e-4a52-9a55-1f9a1c1de6a1',
        received_at: '2026-11-21T07:58:12.004Z',
        changed: 1,
        unchanged: 0,
        elevators: 0,
        ...WARNINGS,
      }),
    },
    errors: ['NOT_FOUND'],
  },
  'GET /api/v1/records/:type': {
    id: 'getRecords',
    tag: 'push',
    summary: 'What is held of the ERP’s records',
    description:
      'The ERP’s own ids of a type, of the company that the token is for, deleted ones too, in the order of their bytes ' +
      'in UTF-8: to find what the service holds and the ERP has not, and the other way round.',
    parameters: [
      inPath('type', 'The type of the records.', Type.Unsafe({ enum: [...RECORD_TYPES] }), 'tickets'),
      query(
        'after',
        'The `next` of the answer before, or any id: those after it are listed.',
        Type.String({ maxLength: 128 }),
      ),
      query(
        'limit',
        'Records of an answer at most.',
        Type.Integer({ minimum: 1, maximum: HELD_LIMIT.max, default: HELD_LIMIT.default }),
      ),
    ],
    answers: {
      200: json('The records after `after`.', 'HeldRecords', {
        records: [
          { id: 'T-48213', updated_at: '2026-11-21T07:58:12.004Z' },
          { id: 'T-48214', updated_at: '2026-11-22T07:58:12.004Z', deleted_at: '2026-11-22T07:58:12.004Z' },
        ],
        next: 'T-48214',
      }),
    },
  },
  'GET /api/v1/check': {
    id: 'getCheck',
    tag: 'push',
    summary: 'What is wrong with the ERP’s records',
    description:
      'Walks the records of the company that the token is for, deleted ones excepted, and tells what is wrong with them. The ' +
      'answer is streamed, one JSON document a line: now and then how many are checked, and at last what was found. An ' +
      'incomplete one ends with the connection. One request at a time for a company, else 429.',
    answers: {
      200: withExamples(
        'How far it is, line by line; the last line has the findings.',
        'CheckLine',
        {
          progress: { checked: { accounts: 1204, contracts: 310, tickets: 8486, settlements: 0 } },
          last: {
            checked: { accounts: 1204, contracts: 310, tickets: 12304, settlements: 96 },
            findings: [
              {
                name: 'account_missing',
                count: 2,
                examples: ['tickets T-48213', 'tickets T-48214'],
                says: 'name an account that was never pushed',
                follows: 'no farmer can share the record, and no customer of farmers gets it',
                mend: 'push what is missing, or correct the id: a blank, a leading zero or another location makes it another id',
              },
            ],
          },
        },
        'application/x-ndjson',
      ),
    },
  },
};
