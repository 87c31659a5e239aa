import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { checkout } from '../../tools/local/checkout';
import { runTool } from '../setup/run-tool';

// What compose.test.ts, kubernetes.test.ts and observability.test.ts check by rules, read by the programs it is made for.

test('docker-compose takes the file', () => {
  const text = readFileSync(path.join(checkout, 'docker-compose.yml'), 'utf8');
  const filled = Object.fromEntries([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => [name, 'x']));
  runTool(['docker-compose', '--profile', 'demo', '--profile', 'observability', 'config', '-q'], {
    install: 'https://docs.docker.com/compose/install',
    cwd: checkout,
    env: { PATH: process.env.PATH, ...filled, GDX_BIND: '127.0.0.1', GDX_PORT: '3000' },
  });
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- manifests of many kinds
type Manifest = any;

/** What `kubectl apply -k` would send, of this checkout's manifests or of a copy. */
function build(folder: string): Manifest[] {
  const built = runTool(['kubectl', 'kustomize', path.join(folder, 'overlays', 'production')], {
    install: 'https://kubernetes.io/docs/tasks/tools',
  });
  return parseAllDocuments(built).map((document) => document.toJS() as Manifest);
}

const MANIFESTS = path.join(checkout, 'deploy', 'kubernetes');
const workerOf = (all: Manifest[], kindName: string) =>
  all.find(({ kind, metadata }) => kind === kindName && metadata.name === 'gdx-worker');

test('kustomize builds production', () => {
  const all = build(MANIFESTS);
  const worker = workerOf(all, 'Deployment');
  expect(worker.spec.replicas).toBeUndefined();
  expect(worker.spec.template.metadata.labels).toMatchObject({
    'app.kubernetes.io/part-of': 'grain-data-exchange',
  });
  expect(all.filter(({ metadata, kind }) => kind !== 'Namespace' && metadata.namespace !== 'gdx')).toEqual(
    [],
  );
});

test('kustomize builds production with the Worker Controller: the same pods, as versions', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'gdx-kubernetes-'));
  cpSync(MANIFESTS, copy, { recursive: true });
  const file = path.join(copy, 'overlays', 'production', 'kustomization.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('components/keda ', 'components/worker-controller '));
  const all = build(copy);
  rmSync(copy, { recursive: true });

  const [settings, api] = [
    all.find(({ kind }) => kind === 'ConfigMap'),
    all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'gdx-api'),
  ];
  const { metadata, spec } = workerOf(all, 'WorkerDeployment');
  expect(workerOf(all, 'Deployment')).toBeUndefined();
  expect(Object.keys(spec).sort()).toEqual(['replicas', 'rollout', 'sunset', 'template', 'workerOptions']);
  expect(settings.data['TEMPORAL_DEPLOYMENT_NAME']).toBe(`${metadata.namespace}/${metadata.name}`);
  const { containers } = spec.template.spec;
  expect(containers[0].envFrom[0]).toEqual({ configMapRef: { name: settings.metadata.name } });
  expect(containers[0].image).toBe(api.spec.template.spec.containers[0].image);
  const plain = workerOf(build(MANIFESTS), 'Deployment').spec.template;
  const unnamed = (template: Manifest) =>
    JSON.stringify(template).replace(/gdx-settings-\w+/, 'gdx-settings');
  expect(unnamed(spec.template)).toBe(unnamed(plain));
});

test.each([
  ['check', 'rules', 'alerts.yml'],
  ['test', 'rules', 'alerts.test.yml'],
  ['check', 'config', 'prometheus.yml'],
])('promtool %s %s %s', (...args) => {
  const cwd = path.join(checkout, 'deploy', 'observability');
  runTool(['promtool', ...args], { install: 'it comes with https://prometheus.io/download', cwd });
});
