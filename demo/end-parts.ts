import { lazyClient } from '../bell/connect-temporal';
import type { Parts } from '../deploy/local/start-parts';
import { closeStore, connectStore } from '../store/connect';

/** Ends the parts that are ours, and takes our database and namespace out of those that were given. */
export async function endParts({ mongo, temporal }: Parts, env: NodeJS.ProcessEnv): Promise<void> {
  // The data of our own goes with the run's folder: there is nothing to finish.
  await (temporal.how === 'given' ? deleteNamespace(env) : temporal.kill());
  await (mongo.how === 'given' ? dropDatabase(env['MONGODB_URI']!) : mongo.kill());
}

async function dropDatabase(uri: string): Promise<void> {
  const store = await connectStore({ uri, secretKey: Buffer.alloc(32), appName: 'gdx-demo' });
  await store.db.dropDatabase().finally(() => closeStore(store));
}

/** With everything in it that still runs. */
async function deleteNamespace(env: NodeJS.ProcessEnv): Promise<void> {
  const namespace = env['TEMPORAL_NAMESPACE']!;
  const { connection } = lazyClient({ env, address: env['TEMPORAL_ADDRESS']!, namespace });
  await connection.operatorService.deleteNamespace({ namespace }).finally(() => connection.close());
}
