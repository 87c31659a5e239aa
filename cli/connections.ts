import type { Bell } from '../bell/bell';
import type { Store } from '../store/connect';

/** The settings the verbs need, of those in config.ts. */
export interface Settings {
  production: boolean;
  outboundAllow: string[];
  mongodbUri: string;
  secretKey: Buffer;
  temporalAddress: string;
  temporalNamespace: string;
  temporalUiUrl: string;
  taskQueue: string;
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
  close(): Promise<void>;
}

export function createConnections(readSettings: () => Promise<Settings>): Connections {
  const closers: (() => Promise<void>)[] = [];
  const settings = once(readSettings);
  const store = once(async () => {
    const { connectStore, closeStore } = await import('../store/connect.js');
    const { mongodbUri, secretKey } = await settings();
    const opened = await connectStore({ uri: mongodbUri, secretKey, appName: 'gdx' });
    closers.push(() => closeStore(opened));
    return opened;
  });
  return {
    settings,
    store,
    async preparedStore() {
      const { prepareStore } = await import('../store/prepare-store.js');
      await prepareStore(await store());
      return store();
    },
    bell: once(async () => {
      const { createBell } = await import('../bell/bell.js');
      const { lazyClient } = await import('../bell/connect-temporal.js');
      const { env, temporalAddress: address, temporalNamespace: namespace, taskQueue } = await settings();
      const opened = createBell(lazyClient({ env, address, namespace }), taskQueue);
      closers.push(() => opened.close());
      return opened;
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
