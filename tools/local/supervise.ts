import { environment } from '../../config';
import { statusOf } from '../../outbound/send-request';
import { checkout, localDir } from './checkout';
import { freePort } from './free-port';
import { keepAlive } from './keep-alive';
import type { Part } from './part';
import { removeRunning, writeRunning } from './running';
import { startParts, type Parts } from './start-parts';
import { startService } from './start-service';

const log = (line: string) => console.log(line);

async function supervise(): Promise<void> {
  const stopping = new AbortController();
  let started: Part[] | undefined = undefined as Part[] | undefined;
  process.on('message', () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    log(started ? 'stopping ...' : 'stopped before everything was up');
    if (!started) process.exit(0); // main.ts ends what was begun
    void stopAll(started).then(() => process.exit(0));
  });
  // The parent died without a message: kill the whole group.
  process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
  started = await startEverything();
  for (const part of started) void keepAlive(part, log, stopping.signal);
}

/** In the order in which they stop. */
async function startEverything(): Promise<Part[]> {
  const namespace = environment.TEMPORAL_NAMESPACE || 'default';
  const parts = await startParts({
    dir: localDir,
    namespace,
    mongoUri: environment.MONGODB_URI,
    temporalAddress: environment.TEMPORAL_ADDRESS,
    log,
  });
  const host = environment.HOST || '127.0.0.1';
  const port = await freePort(Number(environment.PORT || 3000), host);
  const env = { ...environment, ...addressesFor(parts, namespace), PORT: `${port}` };
  const apiUrl = `http://127.0.0.1:${port}`;
  const api = await startService({ name: 'api', env, ready: () => answers(`${apiUrl}/readyz`), log });
  const worker = await startService({
    name: 'worker',
    env: withMetricsBeside(env),
    ready: () => Promise.resolve(),
    log,
  });
  announce(parts, namespace, apiUrl);
  return [worker, api, parts.temporal, parts.mongo];
}

/** The worker's metrics are on the port behind those of the API, where one is set for both. */
function withMetricsBeside(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const port = Number(env.GDX_METRICS_PORT);
  return port > 0 ? { ...env, GDX_METRICS_PORT: `${port + 1}` } : env;
}

function addressesFor(parts: Parts, namespace: string): NodeJS.ProcessEnv {
  return {
    MONGODB_URI: parts.mongodbUri,
    TEMPORAL_ADDRESS: parts.temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    ...(parts.temporalUiUrl && { GDX_TEMPORAL_UI_URL: parts.temporalUiUrl }),
  };
}

async function answers(url: string): Promise<void> {
  const status = await statusOf(url, 2_000);
  if (status !== 200) throw new Error(`${url} answers ${status}`);
}

function announce(parts: Parts, namespace: string, apiUrl: string): void {
  const uiUrl = parts.temporalUiUrl ?? environment.GDX_TEMPORAL_UI_URL;
  writeRunning(checkout, {
    mongodb_uri: parts.mongodbUri,
    temporal_address: parts.temporalAddress,
    temporal_namespace: namespace,
    temporal_ui_url: uiUrl,
    api_url: apiUrl,
  });
  log(`
Running. Ctrl-C stops it; the data stays in .local/
  API          ${apiUrl}
  Temporal UI  ${uiUrl ?? '(where your Temporal has it)'}${uiUrl ? listsIn(uiUrl, namespace) : ''}

Next, in another terminal:
  npm run -s gdx -- integration add --company-id 42 --company "Prairie Co-op"
  npm run -s gdx -- channel add acme --name "Acme Crop Insurance" --base-url http://127.0.0.1:9000 --all-companies --cadence 5s
`);
}

/** The lists that tell most: what runs is in the address, and the browser keeps which columns are shown. */
function listsIn(uiUrl: string, namespace: string): string {
  const list = (query: string) =>
    `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encodeURIComponent(query)}`;
  return `
    customers    ${list(`WorkflowType="channelFeed" AND ExecutionStatus="Running"`)}
    deliveries   ${list(`WorkflowType="feedDelivery"`)}
    (its columns once, by the sliders at the bottom: Run ID out, GdxOutcome and GdxRecords in; a browser keeps them)`;
}

async function stopAll(parts: Part[]): Promise<void> {
  removeRunning(checkout);
  for (const part of parts) {
    await part.stop();
    log(`${part.name} stopped`);
  }
}

supervise().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
