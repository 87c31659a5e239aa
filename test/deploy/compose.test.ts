import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { SETTINGS } from '../../config';
import { readDockerfile, ROOT } from './read-dockerfile';

interface Service {
  image?: string;
  command?: string[];
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
}

const text = readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; name?: string };
const services = Object.entries(compose.services);
const example = readFileSync(path.join(ROOT, '.env.example'), 'utf8');
const variables = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
const isOnce = ({ restart }: Service) => restart === 'no';
const isMountOfOurs = (volume: string) => volume.startsWith('./');
const isOurs = ({ image = '' }: Service) => image.includes('grain-data-exchange');
const PINNED = /:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/;

test('every image is pinned to a version', () => {
  for (const [name, { image = '' }] of services) {
    expect([name, image.replace(/^\$\{GDX_IMAGE:-(.*)\}$/, '$1')]).toEqual([
      name,
      expect.stringMatching(PINNED),
    ]);
  }
  for (const { base } of readDockerfile()) expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/);
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
  expect(Object.keys(compose.services['api']!.depends_on!)).toEqual(['migrate']);
  expect(Object.keys(compose.services['worker']!.depends_on!)).toEqual(['migrate', 'temporal-namespace']);
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
      expect([name, from, existsSync(path.join(ROOT, from)), mode]).toEqual([name, from, true, 'ro']);
    }
  }
});

// The image has none inside from 1.30 on, and the server ends without it.
test('Temporal gets its file of dynamic settings: under each name a list of values', () => {
  const { environment, volumes = [] } = compose.services['temporal']!;
  const mounted = Object.fromEntries(volumes.map((volume) => volume.split(':').slice(0, 2).reverse()));
  const file = mounted[environment!['DYNAMIC_CONFIG_FILE_PATH']!] as string | undefined;
  expect(file).toMatch(/^\.\/deploy\/compose\/.*\.yaml$/);
  const settings = (parse(readFileSync(path.join(ROOT, file!), 'utf8')) ?? {}) as Record<string, unknown>;
  for (const values of Object.values(settings)) {
    expect(values).toEqual(expect.any(Array));
    for (const value of values as unknown[]) expect(value).toHaveProperty('value');
  }
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

test('.env.example has every variable of the file, each with a comment, and no secret', () => {
  const lines = example.split('\n');
  for (const variable of variables) expect(lines.join('\n')).toMatch(new RegExp(`^${variable}=`, 'm'));
  for (const line of lines.filter((each) => /(KEY|PASSWORD|TOKEN|SECRET)=/.test(each)))
    expect(line).toMatch(/=$/);
  expect(lines.filter((line) => /=/.test(line)).map((line) => line.split('=')[0])).toEqual(
    expect.arrayContaining([...variables]),
  );
});

test('every setting handed to a process is one that config.ts reads', () => {
  for (const [name, { environment = {} }] of services.filter(([, service]) => isOurs(service))) {
    for (const setting of Object.keys(environment))
      expect([name, setting in SETTINGS.properties && setting]).toEqual([name, setting]);
  }
});

// What is the same in every container, or the default.
const FIXED = ['HOST', 'PORT', 'GDX_METRICS_PORT', 'GDX_TASK_QUEUE'];

test('every setting can be given: a new one of config.ts gets its line in docker-compose.yml and .env.example', () => {
  const given = Object.keys(compose.services['api']!.environment!);
  expect(given.concat(FIXED).sort()).toEqual(Object.keys(SETTINGS.properties).sort());
});

test('there is no top-level name, and docker-compose takes the file', () => {
  expect(compose.name).toBeUndefined();
  const found = spawnSync('docker-compose', ['--version'], { encoding: 'utf8' });
  if (found.error) return console.log('docker-compose is not installed: `docker-compose config` was not run');
  const filled = Object.fromEntries([...variables].map((variable) => [variable, 'x']));
  const args = ['--profile', 'demo', '--profile', 'observability', 'config', '-q'];
  const env = { PATH: process.env.PATH, ...filled, GDX_BIND: '127.0.0.1', GDX_PORT: '3000' };
  execFileSync('docker-compose', args, { cwd: ROOT, env });
});
