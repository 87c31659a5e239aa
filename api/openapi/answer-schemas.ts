import { Type } from '@sinclair/typebox';
import { FINDINGS } from '../../domain/check/findings';
import { ENTITY_TYPES } from '../../domain/entity-types';
import { DELIVERY_STATUSES } from '../../store/deliveries/deliveries';

const oneOf = (values: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], description });
const instant = (description: string) => Type.String({ format: 'date-time', description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const maybeCount = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
const text = (description: string) => Type.String({ description });
const maybe = (description: string, format?: 'date-time') =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...(format && { format }), description });

export const entityType = () => oneOf(ENTITY_TYPES, 'accounts, contracts, tickets or settlements.');
export const deliveryStatus = () =>
  oneOf(
    DELIVERY_STATUSES,
    'superseded: a reset, a pause or a later run took its place. resized: the page size changed, and the rest ' +
      'was planned again.',
  );

const startsAt = () =>
  Type.Union(
    [
      oneOf(
        ['now', 'next_run', 'paused'],
        'Within seconds, with the next run, or once the operator resumes your channel, which is paused.',
      ),
      instant('Not before then.'),
    ],
    { description: 'When: an instant is the end of the time that your own Retry-After asked for.' },
  );

/** The member that says where a list continues. */
export const NEXT = maybe('Pass it as `after` to go on; null at the end.');

const marker = Type.Object({
  entity_type: entityType(),
  timestamp: maybe(
    'When the last record that you confirmed was changed; null before the first.',
    'date-time',
  ),
  pending_records: count('Records still to be sent, counted now, for at most 2 seconds.'),
  pending_at_least: Type.Optional(
    Type.Boolean({ description: 'true: there are more than `pending_records`, and counting was cut off.' }),
  ),
  delivered_at: maybe('When you last confirmed a page.', 'date-time'),
  last_reset: Type.Union([
    Type.Object({ timestamp: instant('The time asked for.'), at: instant('When it was asked.') }),
    Type.Null(),
  ]),
});

const delivery = Type.Object({
  id: text('The id of its workflow; the pages carry it as `X-Delivery-ID`.'),
  entity_type: entityType(),
  status: deliveryStatus(),
  failure: maybe('The class of the answer that ended it: unavailable, throttled, refused ...'),
  failure_message: maybe('The same as a sentence.'),
  pages: count('Pages confirmed.'),
  records: count('Records confirmed.'),
  started_at: instant('When it began.'),
  ended_at: maybe('When it ended; null while it runs.', 'date-time'),
});

const sharedAccount = Type.Object({
  account: Type.Object({
    id: text('Opaque.'),
    remote_id: text('What the ERP knows it by.'),
    name: text('Its name; its `id` where you are not sent accounts, or only what is new.'),
  }),
  partner_id: text('Your own key for the set of choices.'),
  since: instant('When the farmer began to share it.'),
  ends_at: maybe('When that ends, as the farmer chose; null without an end.', 'date-time'),
  earlier: Type.Boolean({
    description: 'Whether the earlier records are shared too, or only what is new or changes since.',
  }),
});

const endedAccount = Type.Object({
  account: Type.Object({
    ...sharedAccount.properties.account.properties,
    name: text('Its `id`: what it is called is not told any more.'),
  }),
  partner_id: text('Your own key for the set of choices; empty where its farmer was erased.'),
  ended_at: instant('When it ended.'),
  delete: Type.Boolean({ description: 'Nobody shares it with you any more: delete what you have of it.' }),
  confirmed_at: maybe('When you said that you have deleted it.', 'date-time'),
});

const digestBucket = Type.Object({
  bucket: text('`00` to `ff`: the first byte of the SHA-256 of the id.'),
  records: count('Records that you must hold.'),
  pending: count('Records that cannot be compared now.'),
  hash: text(
    'SHA-256, in hex, of their lines `<id> <updated_at>` and a line feed, in the order of the ids’ bytes.',
  ),
});

const digestRecord = Type.Object({
  id: text('As in the feed.'),
  updated_at: instant('As in the feed.'),
  pending: Type.Boolean({
    description:
      'true: leave it out. It has changed above your marker, is being sent, or is from before your channel.',
  }),
});

const AS_OF = instant('What you hold with a later `updated_at` has changed since: leave it out.');

const WARNINGS = {
  warning_count: count('How many warnings there are.'),
  warnings: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'By field, such as `data[0].update-tickets.tickets[3].net_weight`; the first 100.',
  }),
};

/** The schemas of all JSON answers except errors. */
export const ANSWER_SCHEMAS = {
  PushReport: Type.Object({
    request_id: text('The `X-Request-ID` of the push.'),
    received_at: instant('When it was stored.'),
    changed: count('Records that were new or changed; elevators are not counted.'),
    unchanged: count('Records that were there with equal content.'),
    ...WARNINGS,
  }),
  PushDryRun: Type.Object({
    records: count('Records that the push would store, each id once, elevators too.'),
    ...WARNINGS,
  }),
  HeldRecords: Type.Object({
    records: Type.Array(
      Type.Object({
        id: text('What the ERP knows it by.'),
        updated_at: instant('When its last change was stored.'),
        deleted_at: Type.Optional(instant('When it was deleted; left out while it is not.')),
      }),
    ),
    next: Type.Optional(text('Pass it as `after` to go on; left out at the end.')),
  }),
  CheckLine: Type.Object({
    checked: Type.Object(
      Object.fromEntries(ENTITY_TYPES.map((type) => [type, count('Records that are not deleted.')])),
      { description: 'What is checked so far.' },
    ),
    findings: Type.Optional(
      Type.Array(
        Type.Object({
          name: oneOf(
            FINDINGS.map(({ name }) => name),
            'What is wrong.',
          ),
          count: count('How many records have it.'),
          examples: Type.Array(text('Type and the ERP’s own id.'), { description: 'Up to five.' }),
          says: text('It in words, as they follow the count.'),
          follows: text('What follows from it, for whom.'),
          mend: text('How it is mended.'),
        }),
        { description: 'Of the last line.' },
      ),
    ),
  }),
  MarkerReset: Type.Object({
    timestamp: instant('The time asked for, in UTC.'),
    records: maybeCount('How many records are sent again; null where counting was cut off.'),
    pages: maybeCount('In how many pages; null likewise.'),
    at_least: Type.Optional(count('Where counting was cut off: how many records there are at least.')),
    starts: startsAt(),
  }),
  Digest: Type.Union([
    Type.Object({
      entity_type: entityType(),
      as_of: AS_OF,
      records: count('Of all buckets.'),
      pending: count('Of all buckets.'),
      buckets: Type.Array(digestBucket, { description: 'All 256, in order.' }),
    }),
    Type.Object(
      { entity_type: entityType(), as_of: AS_OF, data: Type.Array(digestRecord) },
      { description: 'With `bucket`: the records of these buckets.' },
    ),
  ]),
  DigestComparison: Type.Object({
    entity_type: entityType(),
    as_of: AS_OF,
    data: Type.Array(digestRecord, { description: 'The records of the ranges that differ.' }),
    records: count('Records that you must hold, of all ranges.'),
    pending: count('Records that cannot be compared now, of all ranges.'),
    ranges: Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'The ranges that are listed, by their place in the request, from 0.',
    }),
  }),
  Resend: Type.Object({
    records: count('How many records are sent again.'),
    unknown: Type.Array(Type.String(), {
      description: 'What was asked for and is not yours: it is not there, or not shared with you.',
    }),
    starts: startsAt(),
  }),
  Markers: Type.Object({ data: Type.Array(marker) }),
  Deliveries: Type.Object({ data: Type.Array(delivery, { description: 'Newest first.' }), next: NEXT }),
  Subscriptions: Type.Object({
    data: Type.Array(Type.Union([sharedAccount, endedAccount]), {
      description: 'What is shared now; with `ended=true` what no longer is.',
    }),
  }),
  DeletionConfirmed: Type.Object({
    account: text('As the feed shows it.'),
    confirmed_at: instant('When you first said so.'),
  }),
};

/** The schemas that feed pages are made of. */
export const PAGE_PARTS = {
  Company: Type.Object(
    { id: text('Opaque.'), name: text('Its name.') },
    { description: 'The company whose ERP sent it.' },
  ),
  Reference: Type.Object(
    { id: text('The `id` of the other record.'), remote_id: text('What the ERP knows it by.') },
    { description: 'Another record, which may not have come yet' },
  ),
  PageMeta: Type.Object({
    current_page: Type.Integer({ minimum: 1, description: 'From 1.' }),
    page_count: count('Records on this page.'),
    page_size: Type.Integer({ minimum: 1, description: 'The most a page carries.' }),
    total_count: count('Records of the delivery, fixed when it began.'),
    total_pages: count('total_count / page_size, rounded up.'),
  }),
};
