import { Type } from '@sinclair/typebox';
import { ANSWER_EFFECTS, type AnswerClass } from '../../domain/deliveries/answer-effects';
import { classifyAnswer } from '../../domain/deliveries/classify-answer';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { entityType } from '../../control/fields';
import { pageExample } from './examples';
import { ref, valuesOf, type Parameter } from './operation';
import { pageName } from './record-schemas';

const header = (
  name: string,
  description: string,
  example: string,
  schema: object = Type.String(),
): Parameter => ({ name, in: 'header', required: true, description, schema, example });

const HEADERS: Parameter[] = [
  header('webhook-id', 'Known already: the same page again.', 'msg_3f0c7a52b1d94e08a6f25c1de8b0aa97'),
  header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '1795255200'),
  header(
    'webhook-signature',
    'Several, separated by spaces, of `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` and the base64 of its HMAC-SHA256 ' +
      'under your signing secret; `v1a,` and the base64 of its Ed25519 signature by your signing key. While a secret is ' +
      'being changed, the old one signs too. One that fits is enough.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= ' +
      'v1a,P+gUTH1vpMAVofg+TrsZx3txQCLiB8TMEgTp7QPIUtCi+JwLXI8RW/4cdpP+L8/lehm2RX4hDJyJELx3txOH6w==',
  ),
  header('X-Entity-Type', 'Of which type the records are.', 'tickets', entityType()),
  header('X-Channel-Slug', 'Your channel.', 'acme'),
  header('X-Delivery-ID', 'The delivery that the page belongs to.', 'delivery/acme/tickets/41'),
  header('X-Request-ID', 'Of this attempt: tell it to the operator.', '7d4f3c7e-6c0e-4a52-9a55-1f9a1c1de6a1'),
  header('X-Feed-Epoch', 'For diagnosis only.', '3'),
  {
    ...header(
      'X-Gdx-Test',
      'A test by the operator. It is not signed: go by the `webhook-id`, which begins with `test_`. Answer as you would, and apply nothing.',
      'true',
    ),
    required: false,
  },
];

/** The headers of a page that the customer collects. */
export const PAGE_HEADERS = Object.fromEntries(
  HEADERS.filter(({ name }) => !['X-Request-ID', 'X-Gdx-Test'].includes(name)).map(
    ({ name, description, schema, example }) => [name, { description, required: true, schema, example }],
  ),
);

/** The statuses that are described one by one. */
const STATUSES = [
  ...['400', '401', '403', '404', '405', '407', '408', '409', '410', '413', '422', '425', '429'],
  ...['500', '501', '502', '503', '504', '505'],
];

const effectOf = (answer: AnswerClass) => ({
  description: `**${answer}**: ${ANSWER_EFFECTS[answer].effect}`,
});

const retryAfter = { 'Retry-After': { description: 'Seconds or a date.', schema: Type.String() } };

function answers(): Record<string, object> {
  const byStatus = STATUSES.map((status) => {
    const verdict = classifyAnswer({ status: Number(status), excerpt: '' });
    const effect = effectOf(verdict?.failure ?? 'confirmed');
    return [status, status === '429' ? { ...effect, headers: retryAfter } : effect];
  });
  return {
    '2XX': effectOf('confirmed'),
    '3XX': effectOf('misconfigured'),
    ...Object.fromEntries(byStatus),
    '4XX': effectOf('misconfigured'),
    '5XX': effectOf('unavailable'),
  };
}

/** The headers that identify and sign every message to a customer. */
export const SIGNED_HEADERS = HEADERS.slice(0, 3);

/** A page of any entity type. */
export const PAGE_CONTENT = {
  'application/json': {
    schema: { anyOf: ENTITY_TYPES.map((type) => ref(pageName(type))) },
    examples: valuesOf(Object.fromEntries(ENTITY_TYPES.map((type) => [type, pageExample(type)]))),
  },
};

/** The description of the request to `{customer_base_url}/feed` (docs/contract.md C2). */
export const FEED_WEBHOOK = {
  post: {
    operationId: 'feed',
    summary: 'A page of records for {your base URL}/feed',
    description:
      'One entity type a page; no page when nothing has changed. Any 2xx confirms it, at its headers; nothing else ' +
      'does, and an unconfirmed page is sent again. Apply a record when its `updated_at` is not older than what you ' +
      'hold: pages can come twice. No answer within 30 s counts as 503. A channel of scope `subscribed` is shown a field ' +
      'that is not listed only where its ERP says that it names nobody.',
    security: [{}, { customerKey: [] }],
    parameters: HEADERS,
    requestBody: { required: true, content: PAGE_CONTENT },
    responses: answers(),
  },
};
