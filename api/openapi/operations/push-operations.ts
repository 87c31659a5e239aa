import { COMMANDS } from '../../../domain/commands';
import { GIVEN_NAMES } from '../../../domain/given-names';
import { MAX_COMMANDS, MAX_RECORDS } from '../../../domain/validate-push';
import { PUSHES } from '../examples';
import { ref, type Operation } from '../operation';
import { titleOf } from '../record-schemas';

const commands = COMMANDS.map((command) => ({
  title: command.name,
  type: 'object',
  required: [command.name],
  maxProperties: 1,
  properties: {
    [command.name]: {
      type: 'object',
      required: [command.recordType],
      properties: { [command.recordType]: { type: 'array', items: ref(titleOf(command)) } },
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

export const PUSH_OPERATIONS: Record<string, Operation> = {
  'POST /api/v1/push': {
    id: 'push',
    tag: 'push',
    summary: 'Push records of an ERP',
    description:
      'All or nothing: with 204 everything in the request is stored, durably; with anything else nothing is. A record ' +
      'is known by its `id` within the company; with equal content nothing changes. After a timeout, a 5xx or a 429 ' +
      'send the same body with the same `X-Request-ID`: it is stored once.',
    body: {
      description:
        'Commands. Fields not listed are kept and fed on as they came, under any name but those that the feed gives ' +
        `(${GIVEN_NAMES.join(', ')}), which are refused at any depth.`,
      content: {
        'application/json': {
          schema: ref('Push'),
          examples: Object.fromEntries(Object.entries(PUSHES).map(([name, value]) => [name, { value }])),
        },
      },
    },
    answers: { 204: { description: 'Everything is stored.' } },
    errors: ['VALIDATION_ERROR', 'REQUEST_ID_REUSED'],
  },
};
