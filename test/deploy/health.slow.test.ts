import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { serveHere } from '../setup/serve-here';

let port: number;
let status = 200;
beforeAll(async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 404).end();
  });
  ({ port } = await serveHere(server));
});

/** The health check of a container with this environment. @returns its exit code */
function health(settings: Record<string, string>): Promise<number | string | null> {
  const { PATH = '' } = process.env;
  const env = { PATH, NODE_ENV: 'production', ...settings };
  return new Promise((ended) => {
    const main = path.join(checkout, 'dist/deploy/image/main.js');
    execFile(process.execPath, [main, 'health'], { env }, (error) => ended(error ? error.code! : 0));
  });
}

// The worker has no GDX_SECRET_KEY, and no container has all that gdx needs.
test.each([
  ['API', 'PORT', 'GDX_METRICS_PORT'],
  ['worker', 'GDX_METRICS_PORT', 'PORT'],
])('is that of the %s, whatever keys the container has', async (_, own, other) => {
  const settings = { [own]: String(port), [other]: '1' }; // nobody listens there
  status = 200;
  expect(await health(settings)).toBe(0);
  status = 503;
  expect(await health(settings)).toBe(1);
});
