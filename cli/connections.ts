import type { CustomerKeys } from '../domain/settings/key-settings';
import { onFirstUse } from '../domain/records/on-first-use';
import { CliError, EXIT } from '../client/cli-error';
import type { ServiceSettings } from '../client/service/open-service-settings';

/** The settings of config.ts that commands need. */
export interface Settings {
  production: boolean;
  /** Neither settings nor a running `npm start` say which MongoDB and Temporal are meant. */
  isGuessed: boolean;
  /** Whoever calls gdx, as they say. */
  operator: string;
  /** Their token, which proves it. */
  operatorToken: string;
  trustedProxies: number;
  outboundAllow: string[];
  outboundPorts: number[];
  outboundProxy: URL | undefined;
  mongodbUri: string;
  secretKey: Buffer | undefined;
  oldSecretKeys: Buffer[];
  customerKeys: CustomerKeys;
  alertWebhook: { secret: string | undefined } | undefined;
  temporalAddress: string;
  temporalNamespace: string;
  temporalUiUrl: string;
  taskQueue: string;
  workerDeployment: string | undefined;
  publicUrl: string;
  smsProvider: string;
  /** What is missing for the API, or wrong, if anything. */
  apiProblem: string | undefined;
  /** Temporal's own settings. */
  temporalEnv: Record<string, string>;
}

export type Connections = ReturnType<typeof createConnections>;

// At a terminal, waiting is better than an immediate error.
const TIMEOUT_MS = 5_000;

/** Lazily opened connections: each is loaded and connected on first use, so that `gdx` starts fast. */
export function createConnections(
  readSettings: () => Promise<Settings>,
  serviceSettings: () => Promise<ServiceSettings>,
) {
  const closers: (() => Promise<void>)[] = [];
  const settings = onFirstUse(readSettings);
  const placed = onFirstUse(async () => {
    const found = await settings();
    if (found.isGuessed) throw nowhere();
    return found;
  });
  const store = onFirstUse(async () => {
    const { connectStore, closeStore } = await import('../store/connect.js');
    const { mongodbUri: uri, secretKey, oldSecretKeys, customerKeys, production } = await placed();
    const keys = { secretKey, oldSecretKeys, customerKeys };
    const opened = await connectStore({ uri, ...keys, appName: 'gdx', production, patient: true });
    closers.push(() => closeStore(opened));
    return opened;
  });
  const client = onFirstUse(async () => {
    const { lazyClient } = await import('../temporal/connect-temporal.js');
    const { temporalEnv: env, temporalAddress: address, temporalNamespace: namespace } = await placed();
    const opened = lazyClient({ env, address, namespace });
    closers.push(() => opened.connection.close());
    return opened;
  });
  return {
    settings,
    serviceSettings,
    store,
    /** The store with its indexes and counters created, for commands that may run first. */
    async preparedStore() {
      const { prepareStore } = await import('../store/schema/prepare-store.js');
      await prepareStore(await store(), await settings());
      return store();
    },
    temporal: onFirstUse(async () => {
      const { createChannelClient } = await import('../temporal/channel-client.js');
      const temporal = createChannelClient(await client(), (await settings()).taskQueue, TIMEOUT_MS);
      closers.push(() => temporal.close());
      return temporal;
    }),
    inspector: onFirstUse(async () => {
      const { createInspector } = await import('../temporal/inspector.js');
      const { temporalNamespace: namespace, taskQueue } = await settings();
      return createInspector(await client(), { namespace, taskQueue });
    }),
    workerVersions: onFirstUse(async () => {
      const { createWorkerVersions } = await import('../temporal/worker-versions.js');
      const { temporalNamespace: namespace, taskQueue, workerDeployment } = await settings();
      const deploymentName = workerDeployment ?? taskQueue;
      return createWorkerVersions(await client(), { namespace, deploymentName });
    }),
    async close() {
      await Promise.allSettled(closers.map((close) => close()));
    },
  };
}

const nowhere = () =>
  new CliError(
    'npm start is not running here, and MONGODB_URI is not set',
    'run `npm start` in another terminal, or set MONGODB_URI and TEMPORAL_ADDRESS',
    EXIT.unavailable,
  );

/** The error of a command that cannot reach Temporal. */
export async function temporalUnavailable(connections: Connections): Promise<CliError> {
  const { temporalAddress } = await connections.settings();
  return new CliError(
    `Temporal at ${temporalAddress} does not answer`,
    'start it, or check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE',
    EXIT.unavailable,
  );
}
