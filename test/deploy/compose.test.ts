import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../../config';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { isReadBy } from '../../domain/settings/setting';
import { readDockerfile } from './read-dockerfile';
import { checkout } from '../../tools/local/checkout';
import { WORKER_NODE_OPTIONS } from '../setup/worker-node-options';

interface Service {
  image?: string;
  build?: { dockerfile: string };
  command?: string[];
  entrypoint?: string[];
  restart?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
  environment?: Record<string, string>;
  profiles?: string[];
  ports?: string[];
  networks?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  logging?: { driver: string; options: Record<string, string> };
}

const text = readFileSync(path.join(checkout, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; name?: string };
const services = Object.entries(compose.services);
const example = readFileSync(path.join(checkout, '.env.example'), 'utf8');
const variables = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
const imageOf = ({ image = '' }: Service) => image.replace(/^\$\{GDX_IMAGE:-(.*)\}$/, '$1');
const isOnce = ({ restart }: Service) => restart === 'no';
/** `${GDX_BIND:-127.0.0.1}:${GDX_PORT:-3000}:3000` is published at 3000. */
const publishedAt = (port: string) =>
  port
    .replace(/\$\{\w+:-([^}]*)\}/g, '$1')
    .split(':')
    .at(-2);
const isMountOfOurs = (volume: string) => volume.startsWith('./');
const isOurs = ({ image = '' }: Service) => image.includes('grain-data-exchange');
// `npm run proof -- tools` has docker-compose read the whole file.
const KEYS = [
  ...[
    'image',
    'build',
    'command',
    'entrypoint',
    'init',
    'restart',
    'healthcheck',
    'depends_on',
    'environment',
  ],
  ...[
    'env_file',
    'profiles',
    'ports',
    'networks',
    'volumes',
    'tmpfs',
    'read_only',
    'cap_drop',
    'security_opt',
  ],
  ...['stop_grace_period', 'stop_signal', 'user', 'working_dir', 'hostname', 'logging', 'deploy', 'extends'],
];
const PINNED = /^[\w/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?@sha256:[0-9a-f]{64}$/;

// What an older version of an image has, of which everybody can read.
const FLOORS: [string, string, string][] = [
  ['temporalio/server', '1.31.1', 'holes of gRPC, x/net and x/crypto (temporalio/temporal#10618)'],
  ['temporalio/admin-tools', '1.31.1', 'the same'],
  [
    'mongo',
    '8.0.30',
    'documents with a field twice corrupt a time series (CVE-2026-8053), and what 8.0.30 closed (CVE-2026-82058)',
  ],
];

test.each(FLOORS)('%s is at least %s, for older ones have %s', (image, floor) => {
  const versions = services
    .map(([, service]) => imageOf(service).split(/[:@]/))
    .flatMap(([name, version]) => (name === image ? version! : []));
  expect(versions).not.toEqual([]);
  expect(versions.filter((version) => version.localeCompare(floor, 'en', { numeric: true }) < 0)).toEqual([]);
});

test('every image of others is pinned to a version and to its digest', () => {
  const all = services.map(([, service]) => service);
  for (const service of all.filter(isOurs)) expect(imageOf(service)).toMatch(/:\d+\.\d+\.\d+$/);
  const images = all.filter((service) => !isOurs(service)).map(imageOf);
  expect(images).not.toEqual([]);
  const sample = readDockerfile('docs/samples/postgres-receiver/Dockerfile').map(({ base }) => base);
  for (const image of [...images, ...sample]) expect(image).toMatch(PINNED);
  expect(new Set(images).size).toBe(new Set(images.map((image) => image.split(':')[0])).size); // one digest a name
  const stages = readDockerfile();
  const ours = new Set(stages.map(({ name }) => name));
  for (const { base } of stages.filter((stage) => !ours.has(stage.base)))
    expect(base).toMatch(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
  expect(stages.at(-1)!.base).toBe('node'); // the service's own image is made of no demo
});

test('what runs for long has a health check and comes back; what runs once does not', () => {
  for (const [name, service] of services) {
    const { healthcheck, restart } = service;
    if (isOnce(service)) expect([name, healthcheck?.test]).toEqual([name, undefined]);
    else expect([name, healthcheck?.test?.[0], restart]).toEqual([name, 'CMD', 'unless-stopped']);
  }
});

test('a service waits for those that run once to be done, and for others to be healthy', () => {
  for (const [name, { depends_on = {} }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const expected = isOnce(compose.services[other]!)
        ? 'service_completed_successfully'
        : 'service_healthy';
      expect([name, other, condition]).toEqual([name, other, expected]);
    }
  }
  expect(Object.keys(compose.services['api']!.depends_on!)).toEqual(['migrate', 'mongodb']);
  expect(Object.keys(compose.services['worker']!.depends_on!)).toEqual([
    ...['migrate', 'mongodb'],
    ...['temporal-namespace', 'temporal'],
  ]);
});

// `down` stops whoever names a service before that service, and looks at what is named directly alone.
test('a service that waits for a job names what the job needs, so that it stops before that', () => {
  const needsOf = (name: string): string[] => Object.keys(compose.services[name]!.depends_on ?? {});
  const isJob = (name: string) => isOnce(compose.services[name]!);
  const behind = (job: string): string[] =>
    needsOf(job).flatMap((need) => (isJob(need) ? behind(need) : [need]));
  for (const [name] of services.filter(([each]) => !isJob(each))) {
    const missing = needsOf(name)
      .filter(isJob)
      .flatMap(behind)
      .filter((need) => !needsOf(name).includes(need));
    expect([name, missing]).toEqual([name, []]);
  }
});

// Docker keeps all that a container says in one file until it is told otherwise.
test('what each service says is kept in files of a bounded size and number', () => {
  for (const [name, { logging }] of services)
    expect([name, logging]).toEqual([
      name,
      { driver: 'json-file', options: { 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': '5' } },
    ]);
});

// Until then the image of a database sets it up: MongoDB's answers on 127.0.0.1 alone, PostgreSQL's on a socket alone.
test('a database is healthy when others can reach it', () => {
  for (const name of ['mongodb', 'postgresql']) {
    const { test = [] } = compose.services[name]!.healthcheck!;
    expect([name, test[test.findIndex((each) => /^(-h|--host)$/.test(each)) + 1]]).toEqual([name, name]);
  }
});

test('what is mounted of this checkout is there, and cannot be changed from inside', () => {
  for (const [name, { volumes = [] }] of services) {
    for (const volume of volumes.filter(isMountOfOurs)) {
      const [from = '', , mode] = volume.split(':');
      expect([name, from, existsSync(path.join(checkout, from)), mode]).toEqual([name, from, true, 'ro']);
    }
  }
});

// The image has none inside from 1.30 on, and the server ends without it.
test('Temporal gets its file of dynamic settings: under each name a list of values', () => {
  const { environment, volumes = [] } = compose.services['temporal']!;
  const mounted = Object.fromEntries(volumes.map((volume) => volume.split(':').slice(0, 2).reverse()));
  const file = mounted[environment!['DYNAMIC_CONFIG_FILE_PATH']!] as string | undefined;
  expect(file).toMatch(/^\.\/deploy\/compose\/.*\.yaml$/);
  const settings = (parse(readFileSync(path.join(checkout, file!), 'utf8')) ?? {}) as Record<string, unknown>;
  for (const values of Object.values(settings)) {
    expect(values).toEqual(expect.any(Array));
    for (const value of values as unknown[]) expect(value).toHaveProperty('value');
  }
  expect(settings).toHaveProperty(['matching.enableFairness'], [{ value: true }]); // docs/decisions/0012
});

test('our own run without rights, and have longer to end than they need', () => {
  for (const [name, service] of services.filter(([, each]) => isOurs(each))) {
    expect([name, service.read_only, service.cap_drop]).toEqual([name, true, ['ALL']]);
  }
  expect(parseInt(compose.services['api']!.stop_grace_period!)).toBeGreaterThan(27);
  expect(parseInt(compose.services['worker']!.stop_grace_period!)).toBeGreaterThan(30);
  const { instructions } = readDockerfile().at(-1)!;
  const one = (op: string) => instructions.find((instruction) => instruction.op === op)?.args;
  expect([one('USER'), one('STOPSIGNAL')]).toEqual(['1000:1000', 'SIGTERM']);
  expect(one('HEALTHCHECK')).toMatch(/CMD \["node", /);
});

test('databases and Temporal are not published, the rest on loopback unless said otherwise', () => {
  for (const [name, { ports = [], networks = [] }] of services) {
    for (const port of ports)
      expect([name, port]).toEqual([name, expect.stringMatching(/^(127\.0\.0\.1|\$\{GDX_BIND)/)]);
    if (['mongodb', 'postgresql', 'temporal'].includes(name))
      expect([name, ports, networks]).toEqual([name, [], ['inside']]);
  }
});

// The port of /ops is 3001, and Grafana's was as well: `--profile observability` did not start.
test('no two services are published at one port', () => {
  const ports = services.flatMap(([, { ports = [] }]) => ports.map(publishedAt));
  expect(ports.filter((port, index) => ports.indexOf(port) < index)).toEqual([]);
  expect(ports.every((port) => /^\d+$/.test(port!))).toBe(true);
});

test('.env.example has every variable of the file, each with a comment, and no secret', () => {
  const lines = example.split('\n');
  for (const variable of variables) expect(lines.join('\n')).toMatch(new RegExp(`^${variable}=`, 'm'));
  for (const line of lines.filter((each) => /(KEY|PASSWORD|TOKEN|SECRET)=/.test(each)))
    expect(line).toMatch(/=$/);
  expect(lines.filter((line) => /=/.test(line)).map((line) => line.split('=')[0])).toEqual(
    expect.arrayContaining([...variables]),
  );
});

// The keys come from the image, and docker-compose builds none until `.env` has them.
test('the page builds the image, makes the keys with it, and only then starts it', () => {
  const page = readFileSync(path.join(checkout, 'docs', 'deploy.md'), 'utf8');
  const api = compose.services['api']!;
  const name = imageOf(api);
  const steps = [
    `docker build -f ${api.build!.dockerfile} -t ${name} .\n`,
    `docker run --rm ${name} gdx secrets keys`,
    'cp .env.example .env',
    'docker-compose up -d',
  ];
  const places = steps.map((step) => page.indexOf(step));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

const OF_NODE = ['NODE_OPTIONS'];

test('every setting handed to a process is one that config.ts reads', () => {
  for (const [name, { environment = {} }] of services.filter(([, service]) => isOurs(service))) {
    for (const setting of Object.keys(environment).filter((each) => !OF_NODE.includes(each)))
      expect([name, setting in ALL_SETTINGS && setting]).toEqual([name, setting]);
  }
});

// A process that is taken over has what the others need not give it.
test.each(['api', 'worker'] as const)('%s is given no setting that only another process reads', (part) => {
  const given = Object.keys(compose.services[part]!.environment!).filter((each) => !OF_NODE.includes(each));
  const names = given as (keyof typeof ALL_SETTINGS)[];
  expect(names.filter((name) => !isReadBy(part, ALL_SETTINGS[name]))).toEqual([]);
});

test('a setting of another process changes nothing, right or wrong', () => {
  const common = { MONGODB_URI: 'mongodb://127.0.0.1/x', TEMPORAL_ADDRESS: '127.0.0.1:2' };
  const others = {
    api: { GDX_ALERT_SECRET: 'wrong', GDX_OUTBOUND_PROXY: 'wrong' },
    worker: { GDX_SMS_WEBHOOK_TOKEN: 'of-the-texts', GDX_CODES_PER_DAY: 'wrong' },
  };
  for (const part of ['api', 'worker'] as const)
    expect(readConfig({ ...common, ...others[part] }, part)).toEqual(readConfig(common, part));
});

// What is the same in every container, or the default.
const FIXED = ['HOST', 'PORT', 'GDX_METRICS_PORT', 'GDX_TASK_QUEUE'];
// Given to gdx where the ERP, the customer or the operator is.
const OF_GDX = ['GDX_TOKEN', 'GDX_SIGNING_SECRET', 'GDX_OPERATOR', 'GDX_OPERATOR_TOKEN'];
// Set by the Worker Controller, which there is on Kubernetes alone.
const OF_CONTROLLER = ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'];

// docker-compose's Temporal is on a network of its own, without TLS.
const OF_TLS = Object.keys(ALL_SETTINGS).filter((name) => /^TEMPORAL_(TLS|API_KEY)/.test(name));

test('every setting can be given: a new one of config.ts gets its line in docker-compose.yml and .env.example', () => {
  const given = ['api', 'worker'].flatMap((name) => Object.keys(compose.services[name]!.environment!));
  expect([...new Set(given.concat(FIXED, OF_GDX, OF_CONTROLLER, OF_TLS))].sort()).toEqual(
    [...Object.keys(ALL_SETTINGS), ...OF_NODE].sort(),
  );
});

test('a worker’s young generation is as small as the bench measures it', () => {
  expect(compose.services['worker']!.environment).toMatchObject({ NODE_OPTIONS: WORKER_NODE_OPTIONS });
  expect(readFileSync(path.join(checkout, 'deploy/kubernetes/base/worker.yaml'), 'utf8')).toContain(
    WORKER_NODE_OPTIONS,
  );
});

test('each process has a MongoDB user and keys of its own, and no others', () => {
  const secretsOf = (name: string) => {
    const { MONGODB_URI = '', ...environment } = compose.services[name]!.environment!;
    const keys = Object.keys(environment).filter((setting) => /SECRET_KEY$|SECRETS_/.test(setting));
    return [/\/\/([\w-]+):/.exec(MONGODB_URI)?.[1], ...keys.filter((key) => !key.endsWith('_OLD')).sort()];
  };
  const own = ['GDX_CUSTOMER_SECRETS_KEY'];
  const sealing = ['GDX_CUSTOMER_SECRETS_PUBLIC_KEY', 'GDX_SECRET_KEY'];
  expect([secretsOf('api'), secretsOf('worker')]).toEqual([
    ['gdx-api', ...sealing],
    ['gdx-worker', ...own],
  ]);
  for (const name of ['migrate', 'gdx']) expect(secretsOf(name)).toEqual(['gdx', ...own, ...sealing]);
});

test('there is no top-level name, and no key that compose does not know', () => {
  expect(compose.name).toBeUndefined();
  const used = new Set(services.flatMap(([, service]) => Object.keys(service)));
  expect(KEYS).toEqual(expect.arrayContaining([...used]));
});

test('Grafana does not start without a password', () => {
  const [program, ...args] = compose.services['grafana']!.entrypoint ?? ['/run.sh'];
  const start = (GF_SECURITY_ADMIN_PASSWORD: string) =>
    spawnSync(
      program!,
      args.map((arg) => arg.replaceAll('$$', '$').replace('/run.sh', 'echo started')),
      {
        env: { ...process.env, GF_SECURITY_ADMIN_PASSWORD },
        encoding: 'utf8',
      },
    );
  expect(start('')).toMatchObject({ status: 78, stderr: 'GRAFANA_PASSWORD is not set\n' });
  expect(start('x')).toMatchObject({ status: 0, stdout: 'started\n' });
});
