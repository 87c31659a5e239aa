import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type ChannelClient, createChannelClient } from '../../temporal/channel-client';
import { lazyClient } from '../../temporal/connect-temporal';
import { environmentFor, TASK_QUEUE } from '../../tools/demo/environment-for';
import type { Store } from '../../store/store';
import { closeAtEnd } from '../setup/close-at-end';
import { openStore } from '../setup/open-store';
import { ownParts } from '../setup/own-parts';
import { startServicePart } from '../setup/service-part';
import { temporaryFolder } from '../setup/temporary-folder';

const NAMESPACE = 'gdx';

/** What the pictures are taken of. */
export interface ScreenshotStage {
  store: Store;
  client: Client;
  temporal: ChannelClient;
  /** `http://127.0.0.1:8233/namespaces/gdx` */
  uiUrl: string;
}

/**
 * The worker's real process, on a Temporal of its own, whose UI shows nothing else. MongoDB is the given one, if any. The worker is killed
 * in the middle of a reset, on purpose.
 */
export async function startScreenshotStage(): Promise<ScreenshotStage> {
  const dir = temporaryFolder('gdx-screenshots', 'test');
  const parts = await ownParts({
    dir,
    mongoUri: process.env.MONGODB_URI,
    namespace: NAMESPACE,
    durable: false,
  });
  const database = `gdx_screenshots_${randomUUID().slice(0, 8)}`;
  const env: NodeJS.ProcessEnv = {
    ...environmentFor(parts, { database, namespace: NAMESPACE, port: 0 }),
    GDX_METRICS_PORT: 'off',
    LOG_LEVEL: 'info',
  };
  const store = await openStore(env['MONGODB_URI']);
  const client = lazyClient({ env, address: parts.temporalAddress, namespace: NAMESPACE });
  closeAtEnd(() => client.connection.close());
  await startServicePart('worker', { env, dir });
  return {
    ...{ store, client, temporal: createChannelClient(client, TASK_QUEUE) },
    uiUrl: `${parts.temporalUiUrl}/namespaces/${NAMESPACE}`,
  };
}
