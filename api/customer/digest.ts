import { bucketOf, DigestBuckets } from '../../domain/digest';
import { DigestRanges } from '../../domain/digest-ranges';
import { parseStrictJson } from '../../domain/strict-json';
import type { DigestRecord } from '../../store/digest/digest-records';
import type { ChannelContext, Deps } from '../http/route';
import { digestQuery, digestRequest } from './digest-request';
import { listRecords, streamDigest } from './stream-digest';

/** `GET .../digest`: what the customer must already hold, by bucket (docs/contract.md C22). */
export async function getDigest(ctx: ChannelContext, deps: Deps): Promise<void> {
  const { channel, logged } = ctx.state;
  const { entityType, buckets } = digestQuery(channel, ctx.query);
  logged['buckets'] = buckets?.size ?? null;
  await streamDigest(ctx, deps, entityType, (found) =>
    buckets ? listRecords(inBuckets(found, buckets)) : hashed(found),
  );
}

async function* hashed(found: AsyncIterable<DigestRecord[]>): AsyncGenerator<string> {
  const hashes = new DigestBuckets();
  for await (const batch of found) {
    for (const record of batch) hashes.add(record);
    yield ' '; // whoever waits sees that it continues
  }
  const buckets = hashes.finish();
  const sum = (of: 'records' | 'pending') => buckets.reduce((total, bucket) => total + bucket[of], 0);
  yield `,"records":${sum('records')},"pending":${sum('pending')},"buckets":${JSON.stringify(buckets)}`;
}

async function* inBuckets(
  found: AsyncIterable<DigestRecord[]>,
  buckets: ReadonlySet<string>,
): AsyncGenerator<DigestRecord[]> {
  for await (const batch of found) yield batch.filter(({ id }) => buckets.has(bucketOf(id)));
}

/**
 * `POST .../digest`: what the customer must hold in the ranges whose hashes differ, in one walk
 * (docs/contract.md C22).
 */
export async function postDigest(ctx: ChannelContext, deps: Deps): Promise<void> {
  const { channel, logged } = ctx.state;
  const { entityType, ranges } = digestRequest(channel, parseStrictJson(ctx.state.body));
  logged['ranges'] = ranges.length;
  const compared = new DigestRanges<DigestRecord>(ranges);
  await streamDigest(ctx, deps, entityType, async function* (found) {
    yield* listRecords(differing(found, compared));
    const { records, pending, differing: ofRanges } = compared;
    yield `,"records":${records},"pending":${pending},"ranges":${JSON.stringify(ofRanges)}`;
  });
}

async function* differing(
  found: AsyncIterable<DigestRecord[]>,
  compared: DigestRanges<DigestRecord>,
): AsyncGenerator<DigestRecord[]> {
  for await (const batch of found) yield batch.flatMap((record) => compared.add(record));
  yield compared.finish();
}
