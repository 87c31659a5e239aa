import { type Agent, request } from 'undici';
import type { Store } from '../../store/store';

/**
 * The raw limit: what driver and socket need for the same pages, with nothing of a service around them. It knows that
 * no position is a gap, so that a server which walks a whole range before it takes the first of it loses nothing.
 */
export async function rawFeed(
  { db }: Store,
  agent: Agent,
  url: string,
  { pages, pageSize }: { pages: number; pageSize: number },
): Promise<void> {
  const tickets = db.collection<{ position: number; wire: Buffer }>('tickets');
  const markers = db.collection<{ _id: string; position: number }>('raw_markers');
  for (let page = 0, position = 0; page < pages; page++) {
    const upTo = position + pageSize;
    const found = await tickets
      .find({ position: { $gt: position, $lte: upTo } }, { projection: { position: 1, wire: 1 } })
      .sort({ position: 1 })
      .batchSize(pageSize)
      .toArray();
    const body = Buffer.concat(found.map(({ wire }) => wire));
    const answer = await request(url, { method: 'POST', dispatcher: agent, body });
    await answer.body.dump();
    position = upTo;
    await markers.updateOne({ _id: 'raw' }, { $set: { position } }, { upsert: true });
  }
}
