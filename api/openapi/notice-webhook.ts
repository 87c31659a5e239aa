import { Type } from '@sinclair/typebox';
import { CUSTOMER_NOTICE_TYPES, type CustomerNoticeType } from '../../store/alerts/customer-notices';
import { SIGNED_HEADERS } from './feed-webhook';
import { valuesOf } from './operation';

const FAILURE = {
  failure: Type.Optional(Type.String({ description: 'The class of the failure.' })),
  message: Type.Optional(Type.String({ description: 'What you answered, in words.' })),
};
const SHARING = {
  partner_id: Type.String({ description: 'Of the set of choices; empty where its farmer was erased.' }),
  accounts: Type.Array(Type.String(), { description: 'Ids of accounts, as the feed shows them.' }),
};

const ENDING = {
  ...SHARING,
  delete: Type.Array(Type.String(), {
    description:
      'Those of them that nobody shares with you any more: delete what you have, then confirm each.',
  }),
};

const SOURCE = {
  company: Type.String({ description: 'The id of the company whose ERP it is.' }),
  name: Type.String({ description: 'The name of the company.' }),
};

const DATA: Record<CustomerNoticeType, Parameters<typeof Type.Object>[0]> = {
  'notifications.begun': {},
  'notifications.moved': {},
  'signing_secret.rotated': {},
  'delivery.moved': {},
  'delivery.failing': FAILURE,
  'delivery.recovered': FAILURE,
  'records.set_aside': FAILURE,
  'service.late': {},
  'service.recovered': {},
  'source.silent': SOURCE,
  'source.recovered': SOURCE,
  'channel.paused': FAILURE,
  'channel.resumed': {},
  'channel.closed': {},
  'accounts.granted': {
    ...SHARING,
    earlier: Type.Boolean({ description: 'Whether their earlier records are shared too.' }),
  },
  'accounts.revoked': ENDING,
  'accounts.ended': ENDING,
  'accounts.ending': {
    ...SHARING,
    ends_at: Type.String({
      format: 'date-time',
      description: 'When what was granted of them ends, unless its farmer moves that.',
    }),
  },
};

const notice = (type: CustomerNoticeType) =>
  Type.Object({
    type: Type.Literal(type),
    timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
    data: Type.Object({ channel: Type.String({ description: 'Your channel.' }), ...DATA[type] }),
  });

/**
 * The description of the request to a customer's notification address (docs/contract.md C26). It names the content of
 * every notice.
 */
export const NOTICE_WEBHOOK = {
  post: {
    operationId: 'notice',
    summary: 'A notice for your notification address',
    description:
      'What you would otherwise have to look for, in order. What is not taken within 10 s is posted again after 1, 2, 4 ... ' +
      'minutes, under the same `webhook-id`, and given up after three days; later notices wait behind it, but for ' +
      '`notifications.moved`, `signing_secret.rotated` and `delivery.moved`.',
    security: [{}],
    parameters: SIGNED_HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: Type.Union(CUSTOMER_NOTICE_TYPES.map(notice)),
          examples: valuesOf({
            failing: {
              type: 'delivery.failing',
              timestamp: '2026-11-21T07:58:12.004Z',
              data: { channel: 'acme', failure: 'unavailable', message: 'Acme answered 503' },
            },
            granted: {
              type: 'accounts.granted',
              timestamp: '2026-11-21T08:13:00.102Z',
              data: { channel: 'acme', partner_id: 'POLICY-4711', accounts: ['42-1001'], earlier: true },
            },
          }),
        },
      },
    },
    responses: {
      '2XX': { description: 'You have it.' },
      '4XX': { description: 'It is posted again.' },
      '5XX': { description: 'It is posted again.' },
    },
  },
};
