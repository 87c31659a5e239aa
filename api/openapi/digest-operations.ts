import { resend } from '../../control/resend';
import { describeDeed } from './describe-deed';
import { Type } from '@sinclair/typebox';
import { CHANNEL } from '../http/route';
import { entityType } from '../../control/fields';
import { json, query, type Operation, withExamples } from './operation';

/** The operations to compare records, and to get single ones again. */
export const DIGEST_OPERATIONS: Record<string, Operation> = {
  [`GET ${CHANNEL}/digest`]: {
    id: 'getDigest',
    tag: 'digest',
    summary: 'Compare what you hold',
    description:
      'Counts and hashes of the records that you must hold by what you have confirmed, in 256 buckets; with `bucket`, ' +
      'the ids and versions in those. Deleted records count. One request at a time for a channel, else 429. The answer is ' +
      'streamed: an incomplete one ends with the connection.',
    parameters: [
      { ...query('entity_type', 'Of which type.', entityType()), required: true },
      query('bucket', 'The records of these buckets, such as `3f` or `3f,a0`.', Type.String()),
    ],
    answers: {
      200: json('What both sides should hold.', 'Digest', {
        entity_type: 'tickets',
        as_of: '2026-11-21T07:58:12.004Z',
        data: [{ id: '42-T-1', updated_at: '2026-10-01T13:00:00.000Z', pending: false }],
      }),
    },
  },
  [`POST ${CHANNEL}/digest`]: {
    id: 'compareDigest',
    tag: 'digest',
    summary: 'Compare what you hold, in one request',
    description:
      'Takes hashes of what you hold, by range of ids, and answers the ids and versions in the ranges whose hash is another. ' +
      'A range of more than 50,000 records is always listed. Otherwise as the digest by buckets.',
    body: withExamples('Your hashes.', 'DigestRequest', {
      two: {
        entity_type: 'tickets',
        ranges: [
          { up_to: '42-T-1999', hash: '22573bc3ac3dce8efafc029c1dc1b3a80da22cf6595f062463100fa87cf429b5' },
          { up_to: null, hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
        ],
      },
    }),
    answers: {
      200: json('What both sides should hold where they differ.', 'DigestComparison', {
        entity_type: 'tickets',
        as_of: '2026-11-21T07:58:12.004Z',
        data: [{ id: '42-T-1', updated_at: '2026-10-01T13:00:00.000Z', pending: false }],
        records: 1_000_000,
        pending: 12,
        ranges: [0],
      }),
    },
  },
  ...describeDeed(resend),
};
