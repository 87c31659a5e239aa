import { DigestRanges } from '../../domain/digest-ranges';
import { parseStrictJson } from '../../domain/strict-json';
import type { DigestRecord } from '../../store/feed/digest-records';
import type { ChannelContext, Deps } from '../route';
import { digestRequest } from './digest-request';
import { listRecords, streamDigest } from './stream-digest';

/** `POST .../digest`: what the customer must hold in the ranges whose hash is another, in one walk (docs/contract.md C22). */
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
