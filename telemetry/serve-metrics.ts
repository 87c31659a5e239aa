import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { OUTLASTS_GATEWAYS_MS } from '../domain/settings/outlasts-gateways';
import { registry } from './instruments';

/** The handler of one path. */
export type PathHandler = () => Promise<{ status: number; type: string; body: string }>;

/**
 * Serves `GET /metrics` and the other paths of this port. A port that is in use is only logged: pushes and deliveries
 * matter more than their figures.
 * @param options.refresh updates the gauges
 * @param options.more further metrics in the same format, such as those of Temporal's SDK
 */
export async function serveMetrics(options: {
  host: string;
  port: number;
  log: Logger;
  refresh: () => Promise<void>;
  more?: () => Promise<string>;
  paths?: Record<string, PathHandler>;
}) {
  const { host, port, log, refresh, more, paths } = options;
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry });
  const metrics: PathHandler = async () => {
    const [theirs] = await Promise.all([more?.() ?? '', refresh()]);
    return { status: 200, type: registry.contentType, body: `${await registry.metrics()}${theirs}` };
  };
  const server = answering({ ...paths, '/metrics': metrics });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'metrics are not served: set GDX_METRICS_PORT');
    return undefined;
  }
  const address = server.address() as { port: number };
  log.info({ address }, 'metrics');
  return {
    port: address.port,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function answering(paths: Record<string, PathHandler>): Server {
  const times = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: OUTLASTS_GATEWAYS_MS };
  return createServer(times, (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const answer = request.method === 'GET' && Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (!answer) return void response.writeHead(404).end();
    answer().then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
}
