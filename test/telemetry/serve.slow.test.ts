import net from 'node:net';
import pino from 'pino';
import { serveMetrics } from '../../telemetry/serve-metrics';
import { newDatabaseUri } from '../setup/open-store';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { startService } from '../setup/processes';
import { namesOf, OWN } from './page';
import { nightlyTest } from '../setup/cases';
import { serveHere } from '../setup/serve-here';

const lines: { msg: string }[] = [];
const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
const quiet = { host: '127.0.0.1', log, refresh: async () => {} };
const statusOf = async (url: string) => (await fetch(url)).status;

test('answers /metrics and what it is given, and nothing else', async () => {
  const paths = { '/livez': async () => ({ status: 200, type: 'text/plain', body: 'alive' }) };
  const server = await serveMetrics({ ...quiet, port: 0, paths, more: async () => 'temporal_x 1\n' });
  const url = `http://127.0.0.1:${server!.port}`;
  const scraped = await fetch(`${url}/metrics?name=x`);
  expect(scraped.headers.get('keep-alive')).toBe(`timeout=${65 * 60}`); // longer than gateways keep it
  const page = await scraped.text();
  expect(namesOf(page)).toEqual(expect.arrayContaining([...OWN, 'process_cpu_seconds_total']));
  expect(page).toMatch(/\ntemporal_x 1\n$/);
  expect(await statusOf(`${url}/livez`)).toBe(200);
  expect(await statusOf(`${url}/constructor`)).toBe(404);
  expect(await statusOf(`${url}//`)).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  await server!.close();
});

test('a port that is taken is said, and stops nobody', async () => {
  const taken = net.createServer();
  const { port } = await serveHere(taken);
  expect(await serveMetrics({ ...quiet, port })).toBeUndefined();
  expect(lines.at(-1)!.msg).toMatch(/set GDX_METRICS_PORT/);
});

describe('the worker', () => {
  beforeAll(() => void ownTemporalNamespace('serve'));

  nightlyTest('is alive and not ready while its parts are away, and says which', async () => {
    const away = { MONGODB_URI: 'mongodb://127.0.0.1:1/gdx', TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const worker = await startService('worker', away, 'metrics');
    expect(await statusOf(`${worker.metricsUrl}/livez`)).toBe(200);
    const answer = await fetch(`${worker.metricsUrl}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({
      status: 'not_ready',
      draining: false,
      parts: { mongodb: 'down', temporal: 'down', pollers: 'down' },
    });
    expect(await worker.end()).toBe(0);
  });

  nightlyTest('told to stop while it opens its parts, ends with 0', async () => {
    const mute = net.createServer();
    const { port } = await serveHere(mute);
    const worker = await startService(
      'worker',
      { MONGODB_URI: `mongodb://127.0.0.1:${port}/gdx` },
      'metrics',
    );
    expect(await worker.end()).toBe(0);
    expect(worker.lines.join('\n')).not.toContain('worker ready');
  });

  test('is ready when it polls, and ends with 0', async () => {
    const worker = await startService('worker', { MONGODB_URI: newDatabaseUri() });
    const answer = await fetch(`${worker.metricsUrl}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { status: 'ready', draining: false, parts: { mongodb: 'up', temporal: 'up', pollers: 'up' } },
    ]);
    expect(await worker.end()).toBe(0);
  });
});
