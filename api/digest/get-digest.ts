import { bucketOf, DigestBuckets } from '../../domain/digest';
import type { DigestRecord } from '../../store/feed/digest-records';
import type { ChannelContext, Deps } from '../route';
import { digestQuery } from './digest-query';
import { listRecords, streamDigest } from './stream-digest';

/** `GET .../digest`: what the customer must hold by now, by bucket (docs/contract.md C22). */
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
    yield ' '; // whoever waits sees that it goes on
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
