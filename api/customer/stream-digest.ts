import { finished, Readable } from 'node:stream';
import type { EntityType } from '../../domain/entity-types';
import { formatInstant } from '../../domain/instants';
import { type DigestBase, readDigestBase } from '../../store/digest/digest-base';
import { type DigestRecord, digestRecords } from '../../store/digest/digest-records';
import type { Store } from '../../store/store';
import { rateLimited, unavailable } from '../http/http-error';
import type { ChannelContext, Deps } from '../http/route';
import { createShares } from '../limits/shares';

// A walk over a million records: one at a time for a customer, and a few in a process.
const ofChannel = createShares(1);
const ofProcess = createShares(4);
const ALL = '';
const WAIT_MS = 5_000;
// Four callers who read a byte now and then would keep everybody else from asking.
const UNREAD_MS = 5 * 60_000;

// Koa and Node add nine to an answer that is streamed; more than ten are taken for a leak.
const LISTENERS = 16;

/** The rest of the answer's members, made of what the walk finds. */
type Tell = (found: AsyncIterable<DigestRecord[]>) => AsyncIterable<string>;

/** Answers `{ entity_type, as_of, ... }` from one walk over the channel's records. @throws HttpError RATE_LIMITED, UNAVAILABLE */
export async function streamDigest(
  ctx: ChannelContext,
  { store }: Deps,
  entityType: EntityType,
  tell: Tell,
): Promise<void> {
  const { channel, logged } = ctx.state;
  logged['entity_type'] = entityType;
  const signal = acquireSlot(ctx, channel._id);
  const base = await store.client.withSession({ causalConsistency: true }, (session) =>
    readDigestBase(store, channel._id, entityType, session),
  );
  if (!base) throw unavailable();
  // Streamed: it takes longer than any answer may wait for. Where it breaks off, so does the connection.
  const pieces = answerOf(store, base, { entityType, tell, signal });
  const answer = Readable.from(unlessUnread(pieces, () => ctx.res.destroy()));
  answer.on('error', () => ctx.res.destroy());
  ctx.res.setMaxListeners(LISTENERS);
  ctx.body = answer;
  ctx.type = 'application/json';
}

/** @returns what aborts with the connection @throws HttpError RATE_LIMITED */
function acquireSlot({ res }: Pick<ChannelContext, 'res'>, slug: string): AbortSignal {
  if (!ofChannel.take(slug)) throw rateLimited(WAIT_MS);
  if (!ofProcess.take(ALL)) {
    ofChannel.giveBack(slug);
    throw rateLimited(WAIT_MS);
  }
  const reading = new AbortController();
  // Also where the connection has closed before: `close` is not told again.
  finished(res, () => {
    reading.abort();
    ofChannel.giveBack(slug);
    ofProcess.giveBack(ALL);
  });
  return reading.signal;
}

/** Cuts an answer off that has waited for its reader for five minutes in all; the walk may take as long as it needs. */
async function* unlessUnread(pieces: AsyncIterable<string>, cutOff: () => void): AsyncGenerator<string> {
  let left = UNREAD_MS;
  for await (const piece of pieces) {
    const began = Date.now();
    const late = setTimeout(cutOff, left);
    try {
      yield piece;
    } finally {
      clearTimeout(late);
    }
    left -= Date.now() - began;
  }
}

async function* answerOf(
  store: Store,
  base: DigestBase,
  { entityType, tell, signal }: { entityType: EntityType; tell: Tell; signal: AbortSignal },
): AsyncGenerator<string> {
  const head = JSON.stringify({ entity_type: entityType, as_of: formatInstant(base.as_of) });
  yield head.slice(0, -1);
  const session = store.client.startSession({ causalConsistency: true });
  try {
    yield* tell(digestRecords(store, entityType, base, { session, signal }));
    yield '}';
  } finally {
    await session.endSession();
  }
}

/** `"data": [...]` of the records, batch by batch; a batch of none is a space. */
export async function* listRecords(found: AsyncIterable<DigestRecord[]>): AsyncGenerator<string> {
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
