import { Type } from '@sinclair/typebox';
import { resend } from '../../control/resend';
import { reset } from '../../control/reset';
import type { ErrorCode } from '../http/http-error';
import type { Caller, RouteTraits } from '../http/route';
import { DIGEST_REQUEST } from '../customer/digest-request';
import { PAGE_CONFIRMATION } from '../customer/feed';
import { DELETION_CONFIRMATION } from '../customer/post-deletion';
import { CHANNEL_OPERATIONS } from './channel-operations';
import { ANSWER_SCHEMAS, PAGE_PARTS } from './answer-schemas';
import { bodySchemaOf } from './describe-deed';
import { errorAnswers, errorSchema } from './error-answers';
import { FEED_WEBHOOK } from './feed-webhook';
import { NOTICE_WEBHOOK } from './notice-webhook';
import { inPath, TAGS, type Operation, type Parameter } from './operation';
import { PUSH_OPERATIONS, PUSH_SCHEMA } from './push-operations';
import { recordSchemas } from './record-schemas';

/** The descriptions by method and path of the route table. A test checks that no route of ERPs and customers is missing. */
const OPERATIONS = new Map(Object.entries({ ...PUSH_OPERATIONS, ...CHANNEL_OPERATIONS }));

/** The schemas of all bodies but those of pushes, each from beside what reads it. */
const REQUEST_SCHEMAS = {
  ...bodySchemaOf(reset),
  PageConfirmation: PAGE_CONFIRMATION,
  DeletionConfirmation: DELETION_CONFIRMATION,
  DigestRequest: DIGEST_REQUEST,
  ...bodySchemaOf(resend),
};

/** The callers whose routes the document describes. Pages and health checks are not in it. */
type Described = Extract<Caller, 'integration' | 'channel'>;

/** What all operations of a caller have. The errors are those of the checks before a handler (docs/contract.md A3). */
const COMMON: Record<Described, { security: object[]; errors: ErrorCode[]; parameters: Parameter[] }> = {
  integration: {
    security: [{ integrationToken: [] }],
    errors: ['UNAUTHENTICATED', 'VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'],
    parameters: [],
  },
  channel: {
    security: [{ channelKey: [] }],
    errors: ['UNAUTHENTICATED', 'NOT_FOUND', 'VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'],
    parameters: [inPath('channel_slug', 'Your channel, as the operator named it.', Type.String(), 'acme')],
  },
};
const BODY_ERRORS: ErrorCode[] = ['MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

const INTRODUCTION = `Takes grain-business records from ERPs and feeds them, with the farmer’s permission, to customers. The guides, with samples to download: [/guide](/guide).

JSON in UTF-8; instants are RFC 3339, answered in UTC with milliseconds. Ids are opaque. Ignore what you do not know:
fields are added without notice. Send an \`X-Request-ID\` of 1 to 128 visible ASCII characters, or get one: it is
echoed, logged, and carried to whatever the request causes.

Unknown addresses answer 404 \`NOT_FOUND\`, other methods 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`, and more than 1,200 such
requests a minute from one address 429 \`RATE_LIMITED\`. What never becomes a request is answered 400 \`MALFORMED_REQUEST\`,
408 \`REQUEST_TIMEOUT\` or 431 \`HEADERS_TOO_LARGE\`, with the same body.`;

/** Makes the OpenAPI 3.1 document of these routes (docs/contract.md A12). */
export function describeApi(routes: readonly RouteTraits[]) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Grain Data Exchange',
      version: '1.0.0', // of the contract: the `v1` of the addresses
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { url: '/guide', description: 'The guides, with samples to download' },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    webhooks: { feed: FEED_WEBHOOK, notice: NOTICE_WEBHOOK },
    components: {
      schemas: {
        Error: errorSchema,
        Push: PUSH_SCHEMA,
        ...REQUEST_SCHEMAS,
        ...ANSWER_SCHEMAS,
        ...recordSchemas(),
        ...PAGE_PARTS,
      },
      securitySchemes: {
        integrationToken: authorization('An ERP’s token, with or without `Bearer` before it.'),
        channelKey: authorization('A customer’s key of a channel, with or without `Bearer` before it.'),
        customerKey: authorization('The value that you gave the operator, if you gave one.'),
      },
    },
  };
}

const REQUEST_ID: Parameter = {
  name: 'X-Request-ID',
  in: 'header',
  description: 'Yours, to find the request again; a push with a known one is stored once.',
  schema: Type.String({ pattern: '^[\\x21-\\x7e]{1,128}$' }),
  example: '7d4f3c7e-6c0e-4a52-9a55-1f9a1c1de6a1',
};

const authorization = (description: string) => ({
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description,
});

function pathsOf(routes: readonly RouteTraits[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const operation = OPERATIONS.get(`${route.method} ${route.path}`);
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    if (operation && isDescribed(route))
      (paths[path] ??= {})[route.method.toLowerCase()] = described(route, operation);
  }
  return paths;
}

type DescribedRoute = RouteTraits & { caller: Described };

const isDescribed = (route: RouteTraits): route is DescribedRoute => route.caller in COMMON;

function described(route: DescribedRoute, operation: Operation): object {
  const { id, tag, summary, description, parameters = [], body, answers, errors = [] } = operation;
  const common = COMMON[route.caller];
  const codes = [...common.errors, ...(route.maxBodyBytes ? BODY_ERRORS : []), ...errors];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: common.security,
    parameters: [...common.parameters, ...parameters, REQUEST_ID],
    ...(body && { requestBody: { required: true, ...body } }),
    responses: { ...errorAnswers(codes, route), ...answers },
  };
}
