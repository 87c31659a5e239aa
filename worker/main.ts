import { NativeConnection } from '@temporalio/worker';
import { setTimeout } from 'node:timers/promises';
import pino, { type Logger } from 'pino';
import { createActivities } from '../activities/create-activities';
import { createAgent } from '../activities/customer/create-agent';
import { createBell } from '../bell/bell';
import { connectionOptions, lazyClient } from '../bell/connect-temporal';
import { createWorkerVersions } from '../bell/worker-versions';
import { type Config, ConfigurationError, environment, readConfig } from '../config';
import { createGaugeReader } from '../metrics/read-gauges';
import { serveMetrics } from '../metrics/serve-metrics';
import { closeStore, connectStore } from '../store/connect';
import { prepareStore } from '../store/prepare-store';
import { StoreMismatch } from '../store/store-mismatch';
import { becomeFirstVersion } from './become-first-version';
import { createWorkers } from './create-workers';
import { adoptInterval, ensureTemporal } from './ensure-temporal';
import { type Health, healthPaths } from './health';
import { installRuntime } from './install-runtime';
import { persist } from './persist';
import { WORKFLOW_BUNDLE } from './workflow-bundle';

const ENSURE_EVERY_MS = 60_000;
const METRICS_PORT = 9465;

/** The worker's process: opens its parts in order, works until it is told to stop, closes them in reverse. */
async function main(
  config: Config,
  log: Logger,
  stopping: AbortSignal,
  sdkMetrics: () => Promise<string>,
): Promise<void> {
  const { temporalNamespace: namespace, taskQueue, workerBuildId: buildId } = config;
  const temporal = { env: environment, address: config.temporalAddress, namespace };
  const store = await connectStore({
    uri: config.mongodbUri,
    secretKey: config.secretKey,
    oldSecretKeys: config.oldSecretKeys,
    appName: 'gdx-worker',
  });
  const client = lazyClient(temporal);
  const bell = createBell(client, taskQueue);
  const health: Health = { store, bell, workers: [], draining: () => stopping.aborted };
  const metrics = await showHealth(config, log, health, sdkMetrics);
  await persist(log, 'MongoDB', stopping, () => prepareStore(store, config));
  const ensure = () =>
    ensureTemporal(client, { namespace, taskQueue, reconcileEveryMs: config.reconcileEveryMs });
  await persist(log, 'Temporal', stopping, async () => {
    await ensure();
    await adoptInterval(client, config.reconcileEveryMs);
  });

  const agent = createAgent({ rule: config });
  const connection = await NativeConnection.connect(connectionOptions(temporal));
  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    buildId,
    workflowBundle: { codePath: WORKFLOW_BUNDLE },
    activities: createActivities({
      store,
      bell,
      agent,
      log,
      retentionDays: config.retentionDays,
      alertWebhook: config.alertWebhook,
      draining: () => stopping.aborted,
    }),
  });
  health.workers = workers;
  stopping.addEventListener('abort', () => workers.forEach((worker) => worker.shutdown()));
  void ensureEveryMinute(ensure, log, stopping);
  const versions = createWorkerVersions(client, { namespace, taskQueue });
  if (buildId) void becomeFirstVersion(versions, buildId, log, stopping);
  stopping.throwIfAborted(); // it came while the parts were opened
  log.info({ namespace, task_queue: taskQueue, build_id: buildId }, 'worker ready');
  await Promise.all(workers.map((worker) => worker.run()));
  await connection.close();
  await agent.close();
  await bell.close();
  await metrics?.close();
  await closeStore(store);
}

/** Metrics and health, on a port of their own, from the first moment. */
async function showHealth(
  { host, metricsPort: port = METRICS_PORT }: Config,
  log: Logger,
  health: Health,
  more: () => Promise<string>,
) {
  if (port === 'off') return undefined;
  const refresh = createGaugeReader(health.store);
  return serveMetrics({ host, port, log, refresh, more, paths: healthPaths(health) });
}

/** So that even an emptied Temporal heals (design 4). */
async function ensureEveryMinute(
  ensure: () => Promise<void>,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    await setTimeout(ENSURE_EVERY_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    await ensure().catch((error: Error) =>
      log.warn({ reason: error.message }, 'Temporal could not be checked'),
    );
  }
}

function start(): void {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const log = pino({ base: { part: 'worker' } });
  try {
    const config = readConfig();
    log.level = config.logLevel;
    main(config, log, stop.signal, installRuntime(log)).then(
      () => log.info('worker stopped'),
      (error: unknown) => {
        if (stop.signal.aborted) return process.exit(0);
        if (error instanceof StoreMismatch) {
          log.fatal(error.message);
          process.exit(78);
        }
        log.fatal(error, 'worker failed');
        process.exit(1);
      },
    );
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    log.fatal(error.message);
    process.exitCode = 78;
  }
}

start();
