import type { MongoClient } from 'mongodb';

/**
 * Whether the server is one of the stand-ins, which run where no mongod is installed: they walk a range of an index before they
 * sort and limit it, where mongod stops at the limit (docs/decisions/0008). Asked of the server once.
 */
export function walksIndexesOf(client: MongoClient): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () =>
    (answer ??= isStandIn(client).catch((error: unknown) => ((answer = undefined), Promise.reject(error))));
}

/** They call themselves an 8.2, as mongod does, and name their own version beside it. */
async function isStandIn(client: MongoClient): Promise<boolean> {
  const info = await client.db('admin').command({ buildInfo: 1 });
  return Object.keys(info).some((key) => key.startsWith('secantus'));
}
