import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { newCustomerKeys } from '../../store/access/customer-secrets';
import { keysOf } from '../setup/keys-of';
import { freePort } from '../../tools/local/free-port';
import { eventually } from '../setup/eventually';
import { newDatabaseUri } from '../setup/open-store';
import { runImage } from './run-image';
import { playDockerfile } from './play-dockerfile';

// `npm run test:image-steps`: takes five minutes, so it is no part of `npm test`.

let image: ReturnType<typeof playDockerfile>;
let settings: Record<string, string>;

jest.setTimeout(120_000);
beforeAll(async () => {
  image = playDockerfile();
  const { TEMPORAL_ADDRESS = '' } = process.env;
  const pair = newCustomerKeys();
  settings = {
    NODE_ENV: 'production',
    MONGODB_URI: newDatabaseUri(),
    TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: `image-${process.pid}`,
    GDX_SECRET_KEY: randomBytes(32).toString('hex'),
    GDX_CUSTOMER_SECRETS_KEY: pair.privateKey,
    GDX_CUSTOMER_SECRETS_PUBLIC_KEY: pair.publicKey,
    GDX_PUBLIC_URL: 'https://gdx.example',
    GDX_SMS_PROVIDER: 'webhook',
    GDX_SMS_WEBHOOK_URL: 'https://texts.example',
    PORT: String(await freePort()),
    GDX_METRICS_PORT: String(await freePort()),
  };
}, 600_000);
afterAll(() => rmSync(image?.folder, { recursive: true, force: true }));

const run = async (command: string[], env: Record<string, string>) => {
  const { ended, lines } = runImage(image.app, command, env);
  return { code: await ended, output: lines.join('\n') };
};
const ready = (env: Record<string, string>) =>
  eventually(async () => expect((await run(['health'], env)).code).toBe(0), 60_000);

test('the image holds the build and production packages, and nothing else', () => {
  expect(readdirSync(image.app).sort()).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json']);
  expect(existsSync(path.join(image.app, 'dist/worker/workflows.bundle.js'))).toBe(true);
  for (const name of ['jest', 'typescript', 'eslint', '@temporalio/testing', 'playwright-core'])
    expect([name, existsSync(path.join(image.app, 'node_modules', name))]).toEqual([name, false]);
  const files = readdirSync(path.join(image.app, 'dist'), { recursive: true }) as string[];
  expect(files.filter((file) => /\.(ts|map|test\.js|env)$|^(tools|test)\b/.test(file))).toEqual([]);
});

test.each(['api', 'worker'])('%s: without settings it exits 78 and names what is missing', async (role) => {
  const { code, output } = await run([role], { NODE_ENV: 'production' });
  expect([code, output]).toEqual([
    78,
    expect.stringMatching(/MONGODB_URI must be set.*GDX_\w+_KEY must be set/),
  ]);
});

test('an unknown role exits 2 and names the roles; gdx is there', async () => {
  expect(await run(['bash'], {})).toEqual({
    code: 2,
    output: expect.stringContaining('api, worker, gdx, migrate'),
  });
  expect(await run(['gdx', '--help'], {})).toEqual({
    code: 0,
    output: expect.stringContaining('Usage: gdx'),
  });
});

test('api and worker wait for `migrate`, then serve, are healthy, and end with 0', async () => {
  for (const role of ['api', 'worker'] as const)
    expect(await run([role], keysOf(role, settings))).toEqual({
      code: 78,
      output: expect.stringContaining('run `gdx migrate`'),
    });
  expect(await run(['migrate', '--dry-run'], settings)).toMatchObject({ code: 0 });
  expect((await run(['migrate'], settings)).output).toContain('applied migration 1');
  expect((await run(['migrate'], settings)).output).toContain('nothing to do');
  expect((await run(['health'], settings)).code).toBe(1);
  for (const role of ['api', 'worker'] as const) {
    const { end, lines } = runImage(image.app, [role], keysOf(role, settings));
    await ready(settings);
    const metrics = await (await fetch(`http://127.0.0.1:${settings['GDX_METRICS_PORT']}/metrics`)).text();
    expect(metrics).toMatch(role === 'worker' ? /^temporal_/m : /^gdx_mongodb_up/m);
    expect([await end(), lines]).toEqual([0, expect.any(Array)]);
  }
});

test('the demo of docker-compose: an ERP pushes, the customer confirms every type', async () => {
  const customerUrl = `http://127.0.0.1:${await freePort()}`;
  const demo = {
    ...settings,
    NODE_ENV: 'development',
    GDX_SMS_PROVIDER: 'console',
    MONGODB_URI: newDatabaseUri(),
    GDX_DEMO_API_URL: `http://127.0.0.1:${settings['PORT']}`,
    GDX_DEMO_CUSTOMER_URL: customerUrl,
  };
  runImage(image.app, ['api'], demo);
  const worker = { ...demo, GDX_METRICS_PORT: String(await freePort()) };
  runImage(image.app, ['worker'], worker);
  await ready(demo);
  await ready({ ...worker, PORT: String(await freePort()) });
  const customer = runImage(image.demo, [], demo, 'dist/tools/demo/compose.js');
  await eventually(() => {
    for (const type of ['accounts', 'contracts', 'tickets', 'settlements'])
      expect(customer.lines.join('\n')).toMatch(new RegExp(`^200 ${type} `, 'm'));
  }, 60_000);
  // The names that deploy/observability relies on, in milliseconds.
  const metrics = await (await fetch(`http://127.0.0.1:${worker.GDX_METRICS_PORT}/metrics`)).text();
  for (const latency of ['activity', 'workflow_task'])
    expect(metrics).toMatch(
      new RegExp(`^temporal_${latency}_schedule_to_start_latency_bucket{.*le="10000"`, 'm'),
    );
  expect(metrics).toMatch(/^gdx_deliveries{channel="acme",entity_type="tickets",status="delivered"} 1$/m);
});
