import type { Db, Document } from 'mongodb';
import { readServerFacts } from '../../store/schema/server-facts';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

/** The facts of a server that answers this to `dbStats`, and whose clock is so far ahead. */
function factsOf(dbStats: () => Promise<Document>, aheadMs = 0) {
  const command = async (asked: Document, options: Document): Promise<Document> => {
    if ('dbStats' in asked) return dbStats();
    const answer = await store.db.command(asked, options);
    return { ...answer, ...('hello' in asked && { localTime: new Date(Date.now() + aheadMs) }) };
  };
  return readServerFacts({ ...store, db: { command } as unknown as Db });
}

test.each([60_000, -60_000])(
  'how far the server’s clock is ahead, and how full its disk is: %i',
  async (ahead) => {
    const facts = await factsOf(async () => ({ fsUsedSize: 90, fsTotalSize: 100 }), ahead);
    expect(facts.clockAheadMs! / 1_000).toBeCloseTo(ahead / 1_000, -1);
    expect(facts.diskUsed).toBe(0.9);
    expect(facts.replicaSet).toEqual(expect.any(String));
  },
);

test.each<[string, () => Promise<Document>]>([
  ['nothing of it', async () => ({})],
  ['a disk of no size', async () => ({ fsUsedSize: 0, fsTotalSize: 0 })],
  ['that one may not ask', () => Promise.reject(new Error('not authorized'))],
])('a server that does not tell how full its disk is: %s', async (_, dbStats) => {
  expect(await factsOf(dbStats)).toMatchObject({ tookMs: expect.any(Number), diskUsed: undefined });
});
