import { bucketOf, DigestBuckets } from '../../domain/records/digest';
import { DigestRanges } from '../../domain/records/digest-ranges';
import type { EntityType } from '../../domain/records/entity-types';
import { formatInstant } from '../../domain/time/instants';
import { parseStrictJson } from '../../domain/records/strict-json';
import { type DigestBase, readDigestBase } from '../../store/digest/digest-base';
import { type DigestRecord, digestRecords } from '../../store/digest/digest-records';
import type { Store } from '../../store/store';
import { unavailable } from '../http/http-error';
import type { ChannelContext, Deps } from '../http/route';
import { streamAnswer } from '../http/stream-answer';
import { beginChannelsWalk, chargeWalk } from '../limits/walks';
import { digestQuery, digestRequest } from './digest-request';

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

/** Makes the other members of the answer from the records of the walk. */
type Tell = (found: AsyncIterable<DigestRecord[]>) => AsyncIterable<string>;

/** Answers `{ entity_type, as_of, ... }` from one walk over the channel's records. @throws HttpError RATE_LIMITED, UNAVAILABLE */
async function streamDigest(
  ctx: ChannelContext,
  { store }: Deps,
  entityType: EntityType,
  tell: Tell,
): Promise<void> {
  const { channel, logged } = ctx.state;
  logged['entity_type'] = entityType;
  const signal = beginChannelsWalk(ctx, channel._id);
  const base = await store.client.withSession({ causalConsistency: true }, (session) =>
    readDigestBase(store, channel._id, entityType, session),
  );
  if (!base) throw unavailable();
  const passed = chargeWalk(ctx.state);
  streamAnswer(ctx, 'application/json', answerOf(store, base, { entityType, tell, passed, signal }));
}

interface Telling {
  entityType: EntityType;
  tell: Tell;
  passed: (records: number) => Promise<void>;
  signal: AbortSignal;
}

async function* answerOf(
  store: Store,
  base: DigestBase,
  { entityType, tell, ...walk }: Telling,
): AsyncGenerator<string> {
  const head = JSON.stringify({ entity_type: entityType, as_of: formatInstant(base.as_of) });
  yield head.slice(0, -1);
  const session = store.client.startSession({ causalConsistency: true });
  try {
    yield* tell(digestRecords(store, entityType, base, { session, ...walk }));
    yield '}';
  } finally {
    await session.endSession();
  }
}

/** Writes `"data": [...]` of the records, batch by batch. An empty batch becomes a space. */
async function* listRecords(found: AsyncIterable<DigestRecord[]>): AsyncGenerator<string> {
  let comma = '';
  yield ',"data":[';
  for await (const batch of found) {
    yield batch.length === 0 ? ' ' : comma + batch.map((record) => JSON.stringify(shown(record))).join(',');
    if (batch.length > 0) comma = ',';
  }
  yield ']';
}

const shown = ({ id, updated_at, pending }: DigestRecord) => ({
  id,
  updated_at: formatInstant(updated_at),
  pending,
});
