import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { runTool } from '../setup/run-tool';

// What compose.test.ts and observability.test.ts check by rules, read by the programs it is made for.

const PROMETHEUS = { install: 'it comes with https://prometheus.io/download' };

test('docker-compose takes the file', () => {
  const text = readFileSync(path.join(checkout, 'docker-compose.yml'), 'utf8');
  const filled = Object.fromEntries([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => [name, 'x']));
  runTool(['docker-compose', '--profile', 'demo', '--profile', 'observability', 'config', '-q'], {
    install: 'https://docs.docker.com/compose/install',
    cwd: checkout,
    env: { PATH: process.env.PATH, ...filled, GDX_BIND: '127.0.0.1', GDX_PORT: '3000', GDX_OPS_PORT: '3001' },
  });
});

// One of another major version counts the samples of a range otherwise.
test('promtool is of the major version that docker-compose starts', () => {
  const text = readFileSync(path.join(checkout, 'docker-compose.yml'), 'utf8');
  const [, major] = /image: prom\/prometheus:v(\d+)/.exec(text)!;
  expect(runTool(['promtool', '--version'], PROMETHEUS)).toMatch(
    new RegExp(`^promtool, version ${major}\\.`),
  );
});

test.each([
  ['check', 'rules', 'alerts.yml'],
  ['test', 'rules', 'alerts.test.yml'],
  ['check', 'config', 'prometheus.yml'],
])('promtool %s %s %s', (...args) => {
  const cwd = path.join(checkout, 'deploy', 'observability');
  runTool(['promtool', ...args], { ...PROMETHEUS, cwd });
});
