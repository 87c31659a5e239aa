import { timeNow } from '../domain/time/elapsed';
import { NativeConnection } from '@temporalio/worker';
import pino, { type Logger } from 'pino';
import { createActivities } from '../activities/create-activities';
import { type Config, ConfigurationError, environment, logOptions, readConfig, serviceOf } from '../config';
import { createAgent } from '../outbound/create-agent';
import { countMongodbFailures, countTemporalFailure } from '../telemetry/counts';
import { createGaugeReader } from '../telemetry/read-gauges';
import { serveMetrics } from '../telemetry/serve-metrics';
import { closeStore, connectStore } from '../store/connect';
import { prepareStore } from '../store/schema/prepare-store';
import { tellClock } from '../store/schema/process-clocks';
import { StoreMismatch } from '../store/store-mismatch';
import { createChannelClient } from '../temporal/channel-client';
import { connectionOptions, lazyClient } from '../temporal/connect-temporal';
import { adoptInterval, ensureTemporal } from '../temporal/ensure-temporal';
import { createWorkerVersions } from '../temporal/worker-versions';
import { startTracing } from '../telemetry/start-tracing';
import { becomeFirstVersion } from './become-first-version';
import { createWorkers } from './create-workers';
import { createMissingLogger, ensurePeriodically, retryUntilReady } from './ensure-periodically';
import { healthPaths, type WorkerHealth } from './health';
import { keepIdleHeapSmall } from './idle-heap';
import { installRuntime } from './install-runtime';
import { WORKFLOW_BUNDLE } from './workflow-bundle';

const METRICS_PORT = 9465;

/** The worker's process. It opens its parts in order, runs until it is told to stop, and closes them. */
async function main(
  config: Config,
  log: Logger,
  stopping: AbortSignal,
  sdkMetrics: () => Promise<string>,
): Promise<void> {
  const { temporalNamespace: namespace, taskQueue, workerBuildId: buildId, workerDeployment } = config;
  const deploymentName = workerDeployment ?? taskQueue;
  const server = { env: config.temporalEnv, address: config.temporalAddress, namespace };
  const traces = await startTracing(config.traces, serviceOf('gdx-worker'), log);
  const store = await connectStore({
    uri: config.mongodbUri,
    secretKey: config.secretKey,
    oldSecretKeys: config.oldSecretKeys,
    customerKeys: config.customerKeys,
    appName: 'gdx-worker',
  });
  if (traces) store.tracing = traces.tracing;
  countMongodbFailures(store);
  const client = lazyClient(server, countTemporalFailure, traces?.client);
  const temporal = createChannelClient(client, taskQueue);
  const health: WorkerHealth = { store, temporal, workers: [], draining: () => stopping.aborted };
  const metrics = await showHealth(config, log, health, sdkMetrics);
  await retryUntilReady(log, 'MongoDB', stopping, () => prepareStore(store, config));
  const logMissing = createMissingLogger(log);
  const wanted = { namespace, taskQueue, reconcileEveryMs: config.reconcileEveryMs };
  const ensure = async () => logMissing(await ensureTemporal(client, wanted));
  await retryUntilReady(log, 'Temporal', stopping, async () => {
    await ensure();
    await adoptInterval(client, config.reconcileEveryMs);
  });

  const agent = createAgent({ rule: config, outboundProxy: config.outboundProxy });
  const connection = await NativeConnection.connect(connectionOptions(server));
  const activities = createActivities({
    store,
    temporal,
    agent,
    log,
    retentionDays: config.retentionDays,
    alertWebhook: config.alertWebhook,
    draining: () => stopping.aborted,
    began: timeNow(),
  });
  const workers = await createWorkers({
    connection,
    namespace,
    taskQueue,
    version: buildId ? { deploymentName, buildId } : undefined,
    interceptors: traces?.worker,
    workflowBundle: { codePath: WORKFLOW_BUNDLE },
    activities: { ...activities, deliverPages: keepIdleHeapSmall(activities.deliverPages) },
  });
  health.workers = workers;
  stopping.addEventListener('abort', () => workers.forEach((worker) => worker.shutdown()));
  tellClock(store, 'worker');
  void ensurePeriodically(ensure, log, stopping);
  const versions = createWorkerVersions(client, { namespace, deploymentName });
  // Under a Worker Controller this process switches nothing: the controller ignores a deployment that anybody else has
  // switched.
  if (buildId && !workerDeployment) void becomeFirstVersion(versions, buildId, log, stopping);
  stopping.throwIfAborted(); // the signal to stop may have come while the parts were opened
  log.info({ namespace, task_queue: taskQueue, build_id: buildId }, 'worker ready');
  await Promise.all(workers.map((worker) => worker.run()));
  await connection.close();
  await agent.close();
  await temporal.close();
  await metrics?.close();
  await closeStore(store);
  await traces?.close();
}

/** Serves metrics and health on a port of their own, from the start. */
async function showHealth(
  { host, metricsPort: port = METRICS_PORT }: Config,
  log: Logger,
  health: WorkerHealth,
  more: () => Promise<string>,
) {
  if (port === 'off') return undefined;
  const refresh = createGaugeReader(health.store);
  return serveMetrics({ host, port, log, refresh, more, paths: healthPaths(health) });
}

function start(): void {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const log = pino(logOptions('gdx-worker'));
  try {
    const config = readConfig(environment, 'worker');
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
