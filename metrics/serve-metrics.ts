import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { registry } from './instruments';

/** What a path answers. */
export type Answer = () => Promise<{ status: number; type: string; body: string }>;

export interface MetricsServer {
  /** The port in use. */
  port: number;
  close(): Promise<void>;
}

/**
 * `GET /metrics`, and what else the process answers on this port. A port that is taken is said in the log and no more:
 * pushes and deliveries matter more than their figures.
 * @param options.refresh brings the gauges up to date
 * @param options.more metrics of others, in the same format
 */
export async function serveMetrics(options: {
  host: string;
  port: number;
  log: Logger;
  refresh: () => Promise<void>;
  more?: () => Promise<string>;
  paths?: Record<string, Answer>;
}): Promise<MetricsServer | undefined> {
  const { host, port, log, refresh, more, paths } = options;
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry });
  const metrics: Answer = async () => {
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

function answering(paths: Record<string, Answer>): Server {
  const times = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 };
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
