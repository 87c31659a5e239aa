import { NativeConnection, Runtime } from '@temporalio/worker';
import { setTimeout } from 'node:timers/promises';
import pino, { type Logger } from 'pino';
import { createActivities } from '../activities/create-activities';
import { createAgent } from '../activities/customer/create-agent';
import { createBell } from '../bell/bell';
import { connectionOptions, lazyClient } from '../bell/connect-temporal';
import { type Config, ConfigurationError, environment, readConfig } from '../config';
import { closeStore, connectStore } from '../store/connect';
import { prepareStore } from '../store/prepare-store';
import { createWorker } from './create-worker';
import { ensureTemporal } from './ensure-temporal';
import { persist } from './persist';
import { temporalLogger } from './temporal-logger';
import { WORKFLOW_BUNDLE } from './workflow-bundle';

const ENSURE_EVERY_MS = 60_000;

/** The worker's process: opens its parts in order, works until it is told to stop, closes them in reverse. */
async function main(config: Config, log: Logger, stopping: AbortSignal): Promise<void> {
  const { temporalNamespace: namespace, taskQueue } = config;
  const temporal = { env: environment, address: config.temporalAddress, namespace };
  const store = await connectStore({
    uri: config.mongodbUri,
    secretKey: config.secretKey,
    appName: 'gdx-worker',
  });
  await persist(log, 'MongoDB', stopping, () => prepareStore(store));
  const client = lazyClient(temporal);
  const ensure = () =>
    ensureTemporal(client, { namespace, taskQueue, reconcileEveryMs: config.reconcileEveryMs });
  await persist(log, 'Temporal', stopping, ensure);

  const bell = createBell(client, taskQueue);
  const agent = createAgent();
  const connection = await NativeConnection.connect(connectionOptions(temporal));
  const worker = await createWorker({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: WORKFLOW_BUNDLE },
    activities: createActivities({
      store,
      bell,
      agent,
      log,
      retentionDays: config.retentionDays,
      draining: () => stopping.aborted,
    }),
  });
  stopping.addEventListener('abort', () => worker.shutdown());
  void ensureEveryMinute(ensure, log, stopping);
  log.info({ namespace, task_queue: taskQueue }, 'worker ready');
  await worker.run();
  await connection.close();
  await agent.close();
  await bell.close();
  await closeStore(store);
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
    Runtime.install({ shutdownSignals: [], logger: temporalLogger(log) });
    main(config, log, stop.signal).then(
      () => log.info('worker stopped'),
      (error: unknown) => {
        if (stop.signal.aborted) return process.exit(0);
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
