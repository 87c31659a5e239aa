import { Readable } from 'node:stream';
import { bucketOf, DigestBuckets } from '../../domain/digest';
import { formatInstant } from '../../domain/instants';
import { type DigestBase, readDigestBase } from '../../store/feed/digest-base';
import { type DigestRecord, digestRecords } from '../../store/feed/digest-records';
import type { Store } from '../../store/store';
import { rateLimited, unavailable } from '../http-error';
import type { ChannelContext, Deps } from '../route';
import { createShares } from '../shares';
import { type DigestQuery, digestQuery } from './digest-query';

// A walk over a million records: one at a time for a customer, and a few in a process.
const ofChannel = createShares(1);
const ofProcess = createShares(4);
const ALL = '';
const WAIT_MS = 5_000;

/** `GET .../digest`: what the customer must hold by now, by bucket (docs/contract.md C22). */
export async function getDigest(ctx: ChannelContext, { store }: Deps): Promise<void> {
  const { channel, logged } = ctx.state;
  const query = digestQuery(channel, ctx.query);
  Object.assign(logged, { entity_type: query.entityType, buckets: query.buckets?.size ?? null });
  const signal = takeTurn(ctx, channel._id);
  const base = await store.client.withSession({ causalConsistency: true }, (session) =>
    readDigestBase(store, channel._id, query.entityType, session),
  );
  if (!base) throw unavailable();
  // Streamed: it takes longer than any answer may wait for. Where it breaks off, so does the connection.
  const answer = Readable.from(answerOf(store, base, query, signal));
  answer.on('error', () => ctx.res.destroy());
  ctx.body = answer;
  ctx.type = 'application/json';
}

/** @returns what aborts with the connection @throws HttpError RATE_LIMITED */
function takeTurn({ res }: Pick<ChannelContext, 'res'>, slug: string): AbortSignal {
  if (!ofChannel.take(slug)) throw rateLimited(WAIT_MS);
  if (!ofProcess.take(ALL)) {
    ofChannel.giveBack(slug);
    throw rateLimited(WAIT_MS);
  }
  const reading = new AbortController();
  res.once('close', () => {
    reading.abort();
    ofChannel.giveBack(slug);
    ofProcess.giveBack(ALL);
  });
  return reading.signal;
}

async function* answerOf(
  store: Store,
  base: DigestBase,
  { entityType, buckets }: DigestQuery,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const head = JSON.stringify({ entity_type: entityType, as_of: formatInstant(base.as_of) });
  yield head.slice(0, -1);
  const session = store.client.startSession({ causalConsistency: true });
  try {
    const found = digestRecords(store, entityType, base, { session, signal });
    yield* buckets ? listed(found, buckets) : hashed(found);
  } finally {
    await session.endSession();
  }
}

async function* hashed(found: AsyncIterable<DigestRecord[]>): AsyncGenerator<string> {
  const hashes = new DigestBuckets();
  for await (const batch of found) {
    for (const record of batch) hashes.add(record);
    yield ' '; // whoever waits sees that it goes on
  }
  const buckets = hashes.finish();
  const sum = (of: 'records' | 'pending') => buckets.reduce((total, bucket) => total + bucket[of], 0);
  yield `,"records":${sum('records')},"pending":${sum('pending')},"buckets":${JSON.stringify(buckets)}}`;
}

async function* listed(
  found: AsyncIterable<DigestRecord[]>,
  buckets: ReadonlySet<string>,
): AsyncGenerator<string> {
  let comma = '';
  yield ',"data":[';
  for await (const batch of found) {
    const ours = batch.filter(({ id }) => buckets.has(bucketOf(id)));
    yield ours.length === 0 ? ' ' : comma + ours.map((record) => JSON.stringify(shown(record))).join(',');
    if (ours.length > 0) comma = ',';
  }
  yield ']}';
}

const shown = ({ id, updated_at, pending }: DigestRecord) => ({
  id,
  updated_at: formatInstant(updated_at),
  pending,
});
