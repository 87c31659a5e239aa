import pino, { type Logger } from 'pino';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChannelClient } from '../temporal/channel-client';
import { lazyClient } from '../temporal/connect-temporal';
import { ConfigurationError, environment, logOptions, readConfig, serviceOf, type Config } from '../config';
import { countMongodbFailures, countPushGroup, countTemporalFailure } from '../telemetry/counts';
import { createGaugeReader } from '../telemetry/read-gauges';
import { serveMetrics } from '../telemetry/serve-metrics';
import { closeStore, connectStore } from '../store/connect';
import type { Store } from '../store/store';
import { prepareStore } from '../store/schema/prepare-store';
import { tellClock } from '../store/schema/process-clocks';
import { StoreMismatch } from '../store/store-mismatch';
import { isUnavailable } from '../store/unavailable';
import { startTracing } from '../telemetry/start-tracing';
import { createApp, type Side } from './create-app';
import { whenAllIsDone } from './farmer/after-the-answer';
import { startRounds } from './farmer/rounds';
import { createTextSender } from './farmer/sms/create-text-sender';
import { createHttpServer } from './server/http-server';
import { DEFAULT_LIMITS } from './limits/limits';
import type { Serving } from './http/route';
import { createProvider } from './ops/create-provider';
import type { ApiDeps } from './routes';

// A push is answered within 25 s (docs/contract.md E11), and draining must end within 30 s.
const DRAIN_MS = 27_000;
// The time for codes that were asked for just before the end.
const LAST_CODES_MS = 2_000;
const PREPARE_AGAIN_MS = 1_000;
const EX_CONFIG = 78;
const METRICS_PORT = 9464;

async function serve(config: Config, log: Logger): Promise<void> {
  const serving: Serving = { phase: 'starting' };
  const traces = await startTracing(config.traces, serviceOf('gdx-api'), log);
  const { temporalAddress: address, temporalNamespace: namespace } = config;
  const temporal = createChannelClient(
    lazyClient({ env: config.temporalEnv, address, namespace }, countTemporalFailure, traces?.client),
    config.taskQueue,
  );
  const store = await connectStore({
    uri: config.mongodbUri,
    secretKey: config.secretKey,
    oldSecretKeys: config.oldSecretKeys,
    customerKeys: config.customerKeys,
    appName: 'gdx-api',
    production: config.production,
  });
  store.onPushGroup = countPushGroup;
  if (traces) store.tracing = traces.tracing;
  countMongodbFailures(store);
  const sender = createTextSender(config.sms, log);
  const { opsPort, operatorsProvider } = config;
  const provider = operatorsProvider && createProvider(operatorsProvider);
  const deps = { store, temporal, log, serving, sender, farmer: config, pages: config, provider };
  const everybody = serverOf(deps, opsPort === undefined ? 'all' : 'public');
  const listeners = [{ server: everybody, port: config.port, says: 'listening' }];
  if (opsPort !== undefined)
    listeners.push({ server: serverOf(deps, 'operators'), port: opsPort, says: 'listening for operators' });
  const stop = (signal: string) => {
    if (serving.phase === 'draining') return;
    serving.phase = 'draining';
    log.info({ signal }, 'draining');
    void Promise.all(listeners.map(drain))
      .then(() => Promise.race([whenAllIsDone(), sleep(LAST_CODES_MS)]))
      .then(() => closeStore(store))
      .then(() => temporal.close())
      .then(() => traces?.close())
      .then(() => log.info('stopped'))
      .finally(() => process.exit(0));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);

  const { host, metricsPort = METRICS_PORT } = config;
  for (const { server, port, says } of listeners) {
    await once(server.listen(port, host), 'listening');
    log.info({ address: server.address() }, says);
  }
  if (metricsPort !== 'off')
    await serveMetrics({ host, port: metricsPort, log, refresh: createGaugeReader(store) });
  await prepare(store, config, serving, log);
  if (serving.phase !== 'starting') return;
  serving.phase = 'serving';
  startRounds(deps);
  tellClock(store, 'api');
  log.info('ready');
}

const serverOf = (deps: ApiDeps, side: Side) =>
  createHttpServer(createApp(deps, DEFAULT_LIMITS, side).callback(), {
    trustedProxies: deps.farmer.trustedProxies,
    ofAddress: DEFAULT_LIMITS.connectionsOfAddress,
  });

/** Waits for MongoDB as long as it takes. Until then everything but the health checks is answered 503. */
async function prepare(store: Store, config: Config, serving: Serving, log: Logger): Promise<void> {
  while (serving.phase === 'starting') {
    try {
      return await prepareStore(store, config);
    } catch (error) {
      if (serving.phase !== 'starting') return;
      if (!isUnavailable(error)) throw error;
      log.warn('MongoDB does not answer yet');
      await sleep(PREPARE_AGAIN_MS);
    }
  }
}

/** Refuses new connections and finishes the requests in flight. */
async function drain({ server }: { server: Server }): Promise<void> {
  const hurry = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await new Promise((closed) => server.close(closed));
  clearTimeout(hurry);
}

function main(): void {
  try {
    const config = readConfig(environment, 'api');
    const log = pino({ level: config.logLevel, ...logOptions('gdx-api') });
    serve(config, log).catch((error: unknown) => {
      if (error instanceof StoreMismatch) {
        log.fatal(error.message);
        process.exit(EX_CONFIG);
      }
      log.fatal({ err: error }, 'cannot serve');
      process.exit(1);
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EX_CONFIG);
  }
}

main();
