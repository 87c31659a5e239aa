import { Type } from '@sinclair/typebox';
import { aCount, anInstant, aText, maybe, oneOf } from '../../control/answers';
import { entityType } from '../../control/fields';
import { resend } from '../../control/resend';
import { reset } from '../../control/reset';
import { FINDINGS } from '../../domain/records/check/findings';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { LOAD_COLUMNS, MISSING, PLACE, SUMMED } from '../../domain/records/production-record';
import { CHANNEL_LISTS } from '../channel/list-route';
import { answerSchemaOf } from './describe-deed';
import { listSchemaOf } from './describe-list';
import { descriptionOf } from './field-descriptions';

const sharedAccount = Type.Object({
  account: Type.Object({
    id: aText('Opaque.'),
    remote_id: aText('What the ERP knows it by.'),
    name: aText('Its name; its `id` where you are not sent accounts, or only what is new.'),
  }),
  partner_id: aText('Your own key for the set of choices.'),
  since: anInstant('When the farmer began to share it.'),
  ends_at: maybe('When that ends, as the farmer chose; null without an end.', 'date-time'),
  earlier: Type.Boolean({
    description: 'Whether the earlier records are shared too, or only what is new or changes since.',
  }),
});

const endedAccount = Type.Object({
  account: Type.Object({
    ...sharedAccount.properties.account.properties,
    name: aText('Its `id`: what it is called is not told any more.'),
  }),
  partner_id: aText('Your own key for the set of choices; empty where its farmer was erased.'),
  ended_at: anInstant('When it ended.'),
  delete: Type.Boolean({ description: 'Nobody shares it with you any more: delete what you have of it.' }),
  confirmed_at: maybe('When you said that you have deleted it.', 'date-time'),
});

const digestBucket = Type.Object({
  bucket: aText('`00` to `ff`: the first byte of the SHA-256 of the id.'),
  records: aCount('Records that you must hold.'),
  pending: aCount('Records that cannot be compared now.'),
  hash: aText(
    'SHA-256, in hex, of their lines `<id> <updated_at>` and a line feed, in the order of the ids’ bytes.',
  ),
});

const digestRecord = Type.Object({
  id: aText('As in the feed.'),
  updated_at: anInstant('As in the feed.'),
  pending: Type.Boolean({
    description:
      'true: leave it out. It has changed above your marker, is being sent, or is from before your channel.',
  }),
});

const said = (description: string) =>
  Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'], description });
const allSaid = (names: string[], told: Readonly<Record<string, string>>) =>
  Object.fromEntries(names.map((name) => [name, said(`${told[name] ?? descriptionOf(name)}.`)]));

const OF_LOADS = {
  weighed_at: 'When the truck was weighed, out if that is known',
  moisture: 'What the sample showed',
  split_percent: 'The account’s share, in percent',
  share_weight: 'What the account has of the net weight, by its share',
  net_units: 'What the account has of it',
  settlement_state:
    '`settled`: a posted settlement of the account names it. Else `open`; null where you get no settlements',
  settled_units: 'What posted settlements say of it',
  net_weight: 'Gross less tare, of the whole load',
};

const sums = (what: string, ...more: string[]) =>
  Type.Array(
    Type.Object({
      ...allSaid([...more, 'commodity', 'weight_uom', 'units_uom', ...SUMMED], OF_LOADS),
      ...{ loads: aCount('How many.'), settled_loads: aCount('How many of them are settled.') },
    }),
    { description: `${what}, of each crop and unit. Decimals are exact.` },
  );

const productionLoad = Type.Object({
  id: aText('Of its ticket.'),
  ...allSaid(LOAD_COLUMNS, OF_LOADS),
  settlements: Type.Array(Type.String(), {
    description: 'The numbers of the posted settlements that name it.',
  }),
  missing: Type.Array(Type.String(), { description: 'What nobody said of it.' }),
});

const production = Type.Object({
  made_at: anInstant('When it was made: what changes later is not in it.'),
  account: aText('As the feed shows it.'),
  crop_year: maybe('Null: of the loads of which nobody said it.'),
  loads: aCount('How many.'),
  not_assigned: aCount('Loads that name no field.'),
  missing: Type.Array(
    Type.Object({
      what: oneOf(MISSING, 'A field, or what the guide says.'),
      count: aCount('How often.'),
      where: Type.Array(Type.String(), {
        description: 'The numbers of the first ten tickets or settlements.',
      }),
    }),
    { description: 'What is missing, and where.' },
  ),
  fields: Type.Array(
    Type.Object({
      ...allSaid(PLACE, {}),
      assigned: Type.Boolean({ description: 'false: its loads name no field.' }),
      ...{ sums: sums('Sums of the field'), loads: Type.Array(productionLoad, { description: 'By time.' }) },
    }),
    { description: 'The loads by where they grew, as that was pushed; first those that are not assigned.' },
  ),
  ...{ crops: sums('Sums'), shares: sums('Sums by share', 'split_percent') },
});

const AS_OF = anInstant('What you hold with a later `updated_at` has changed since: leave it out.');

const WARNINGS = {
  warning_count: aCount('How many warnings there are.'),
  warnings: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'By field, such as `data[0].update-tickets.tickets[3].net_weight`; the first 100.',
  }),
};

/** The schemas of all JSON answers except errors. */
export const ANSWER_SCHEMAS = {
  PushReport: Type.Object({
    request_id: aText('The `X-Request-ID` of the push.'),
    received_at: anInstant('When it was stored.'),
    changed: aCount('Records that were new or changed, apart from elevators.'),
    unchanged: aCount('Records that were there with equal content, apart from elevators.'),
    elevators: Type.Optional(aCount('Elevators in the push, which are in neither of the two.')),
    ...WARNINGS,
  }),
  PushDryRun: Type.Object({
    records: aCount('Records that the push would store, each id once, elevators too.'),
    ...WARNINGS,
  }),
  HeldRecords: Type.Object({
    records: Type.Array(
      Type.Object({
        id: aText('What the ERP knows it by.'),
        updated_at: anInstant('When its last change was stored.'),
        deleted_at: Type.Optional(anInstant('When it was deleted; left out while it is not.')),
      }),
    ),
    next: Type.Optional(aText('Pass it as `after` to go on; left out at the end.')),
  }),
  CheckLine: Type.Object({
    checked: Type.Object(
      Object.fromEntries(ENTITY_TYPES.map((type) => [type, aCount('Records that are not deleted.')])),
      { description: 'What is checked so far.' },
    ),
    findings: Type.Optional(
      Type.Array(
        Type.Object({
          name: oneOf(
            FINDINGS.map(({ name }) => name),
            'What is wrong.',
          ),
          count: aCount('How many records have it.'),
          examples: Type.Array(aText('Type and the ERP’s own id; of a misspelt field its name too.'), {
            description: 'Up to five.',
          }),
          says: aText('It in words, as they follow the count.'),
          follows: aText('What follows from it, for whom.'),
          mend: aText('How it is mended.'),
        }),
        { description: 'Of the last line.' },
      ),
    ),
  }),
  ...answerSchemaOf(reset),
  Digest: Type.Object({
    entity_type: entityType(),
    as_of: AS_OF,
    records: Type.Optional(aCount('Without `bucket`: of all buckets.')),
    pending: Type.Optional(aCount('Without `bucket`: of all buckets.')),
    buckets: Type.Optional(Type.Array(digestBucket, { description: 'Without `bucket`: all 256, in order.' })),
    data: Type.Optional(
      Type.Array(digestRecord, { description: 'With `bucket`: the records of these buckets.' }),
    ),
  }),
  DigestComparison: Type.Object({
    entity_type: entityType(),
    as_of: AS_OF,
    data: Type.Array(digestRecord, { description: 'The records of the ranges that differ.' }),
    records: aCount('Records that you must hold, of all ranges.'),
    pending: aCount('Records that cannot be compared now, of all ranges.'),
    ranges: Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'The ranges that are listed, by their place in the request, from 0.',
    }),
  }),
  ...answerSchemaOf(resend),
  Production: production,
  ...Object.assign({}, ...CHANNEL_LISTS.map(listSchemaOf)),
  Subscriptions: Type.Object({
    data: Type.Array(Type.Union([sharedAccount, endedAccount]), {
      description: 'What is shared now; with `ended=true` what no longer is.',
    }),
  }),
  DeletionConfirmed: Type.Object({
    account: aText('As the feed shows it.'),
    confirmed_at: anInstant('When you first said so.'),
  }),
};

/** The schemas that feed pages are made of. */
export const PAGE_PARTS = {
  Company: Type.Object(
    { id: aText('Opaque.'), name: aText('Its name.') },
    { description: 'The company whose ERP sent it.' },
  ),
  Reference: Type.Object(
    { id: aText('The `id` of the other record.'), remote_id: aText('What the ERP knows it by.') },
    { description: 'Another record, which may not have come yet' },
  ),
  PageMeta: Type.Object({
    current_page: Type.Integer({ minimum: 1, description: 'From 1.' }),
    page_count: aCount('Records on this page.'),
    page_size: Type.Integer({ minimum: 1, description: 'The most a page carries.' }),
    total_count: aCount('Records of the delivery, fixed when it began.'),
    total_pages: aCount('total_count / page_size, rounded up.'),
  }),
};
