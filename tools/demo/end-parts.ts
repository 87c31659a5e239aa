import { lazyClient } from '../../temporal/connect-temporal';
import type { Parts } from '../local/start-parts';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { closeStore, connectStore } from '../../store/connect';

/** Stops our own parts, and removes our database and namespace from given ones. */
export async function endParts({ mongo, temporal }: Parts, env: NodeJS.ProcessEnv): Promise<void> {
  // Our own data is deleted with the run's folder, so there is nothing to flush.
  await (temporal.how === 'given' ? deleteNamespace(env) : temporal.kill());
  await (mongo.how === 'given' ? dropDatabase(env['MONGODB_URI']!) : mongo.kill());
}

async function dropDatabase(uri: string): Promise<void> {
  const store = await connectStore({
    uri,
    secretKey: undefined,
    customerKeys: DEVELOPMENT_CUSTOMER_KEYS,
    appName: 'gdx-demo',
  });
  await store.db.dropDatabase().finally(() => closeStore(store));
}

/** Also terminates its running workflows. */
async function deleteNamespace(env: NodeJS.ProcessEnv): Promise<void> {
  const namespace = env['TEMPORAL_NAMESPACE']!;
  const { connection } = lazyClient({ env, address: env['TEMPORAL_ADDRESS']!, namespace });
  await connection.operatorService.deleteNamespace({ namespace }).finally(() => connection.close());
}
