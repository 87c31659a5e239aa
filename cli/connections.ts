import type { Bell } from '../bell/bell';
import type { TemporalInspector } from '../bell/inspector';
import type { WorkerVersions } from '../bell/worker-versions';
import type { Store } from '../store/connect';

/** The settings the verbs need, of those in config.ts. */
export interface Settings {
  production: boolean;
  outboundAllow: string[];
  outboundPorts: number[];
  mongodbUri: string;
  secretKey: Buffer;
  oldSecretKeys: Buffer[];
  alertWebhook: { secret: string | undefined } | undefined;
  temporalAddress: string;
  temporalNamespace: string;
  temporalUiUrl: string;
  taskQueue: string;
  publicUrl: string;
  smsProvider: string;
  /** What the API would miss of the farmer's page. */
  farmerProblem: string | undefined;
  /** Temporal's own settings are read from it. */
  env: NodeJS.ProcessEnv;
}

/** What a verb may reach. Each part is loaded and connected when a verb first asks, so that `gdx` starts at once. */
export interface Connections {
  settings(): Promise<Settings>;
  store(): Promise<Store>;
  /** The store with its indexes and counters made: for verbs that may be the first ever run. */
  preparedStore(): Promise<Store>;
  bell(): Promise<Bell>;
  inspector(): Promise<TemporalInspector>;
  workerVersions(): Promise<WorkerVersions>;
  close(): Promise<void>;
}

// Someone at a terminal would rather wait than be told that Temporal does not answer.
const PATIENCE_MS = 5_000;

export function createConnections(readSettings: () => Promise<Settings>): Connections {
  const closers: (() => Promise<void>)[] = [];
  const settings = once(readSettings);
  const store = once(async () => {
    const { connectStore, closeStore } = await import('../store/connect.js');
    const { mongodbUri, secretKey, oldSecretKeys } = await settings();
    const opened = await connectStore({ uri: mongodbUri, secretKey, oldSecretKeys, appName: 'gdx' });
    closers.push(() => closeStore(opened));
    return opened;
  });
  const client = once(async () => {
    const { lazyClient } = await import('../bell/connect-temporal.js');
    const { env, temporalAddress: address, temporalNamespace: namespace } = await settings();
    const opened = lazyClient({ env, address, namespace });
    closers.push(() => opened.connection.close());
    return opened;
  });
  return {
    settings,
    store,
    async preparedStore() {
      const { prepareStore } = await import('../store/prepare-store.js');
      await prepareStore(await store(), await settings());
      return store();
    },
    bell: once(async () => {
      const { createBell } = await import('../bell/bell.js');
      return createBell(await client(), (await settings()).taskQueue, PATIENCE_MS);
    }),
    inspector: once(async () => {
      const { createInspector } = await import('../bell/inspector.js');
      const { temporalNamespace: namespace, taskQueue } = await settings();
      return createInspector(await client(), { namespace, taskQueue });
    }),
    workerVersions: once(async () => {
      const { createWorkerVersions } = await import('../bell/worker-versions.js');
      const { temporalNamespace: namespace, taskQueue } = await settings();
      return createWorkerVersions(await client(), { namespace, taskQueue });
    }),
    async close() {
      await Promise.allSettled(closers.map((close) => close()));
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
