import type { EntityType } from '../../domain/entity-types';
import { formatInstant } from '../../domain/instants';
import { type DigestBase, readDigestBase } from '../../store/digest/digest-base';
import { type DigestRecord, digestRecords } from '../../store/digest/digest-records';
import type { Store } from '../../store/store';
import { unavailable } from '../http/http-error';
import type { ChannelContext, Deps } from '../http/route';
import { streamAnswer } from '../http/stream-answer';
import { createWalks } from '../limits/walks';

const beginWalk = createWalks(4);

/** Makes the other members of the answer from the records of the walk. */
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
  const signal = beginWalk(ctx, channel._id);
  const base = await store.client.withSession({ causalConsistency: true }, (session) =>
    readDigestBase(store, channel._id, entityType, session),
  );
  if (!base) throw unavailable();
  streamAnswer(ctx, 'application/json', answerOf(store, base, { entityType, tell, signal }));
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

/** Writes `"data": [...]` of the records, batch by batch. An empty batch becomes a space. */
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
