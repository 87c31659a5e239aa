import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { checkout } from '../../tools/local/checkout';
import { runTool } from '../setup/run-tool';
import { COMBINATIONS, isWorkload, type Manifest, overlayWith, SCALERS } from './render-overlay';

// What `kubectl apply -k` would send, of each combination that docs/deploy.md names, and what the controllers make of it.

const DEPLOY = path.join(checkout, 'deploy');
const TEMPORAL = 'gdx.a1b2c.tmprl.cloud:7233';

function render(components: string[], settings: string[] = []): Manifest[] {
  const built = runTool(['kubectl', 'kustomize', overlayWith(components, settings)], {
    install: 'https://kubernetes.io/docs/tasks/tools',
  });
  return parseAllDocuments(built).map((document) => document.toJS() as Manifest);
}

const one = (all: Manifest[], kind: string, name?: string) =>
  all.find((each) => each.kind === kind && (!name || each.metadata.name === name));
const scalerOf = (all: Manifest[]) =>
  one(all, 'ScaledObject')?.spec ?? one(all, 'WorkerResourceTemplate').spec.template.spec;

test.each(COMBINATIONS)(
  'kustomize builds production with %j: what is named is there, in its namespace',
  (components) => {
    const all = render(components);
    const names = (kind: string) =>
      all.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
    expect(all.filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'gdx')).toEqual(
      [],
    );
    const pods = all.filter(isWorkload).map(({ spec }) => spec.template);
    expect(pods).toHaveLength(4);
    for (const { metadata, spec } of pods) {
      const [container] = spec.containers;
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'grain-data-exchange' });
      for (const { configMapRef } of container.envFrom.filter((each: Manifest) => each.configMapRef))
        expect(names('ConfigMap')).toContain(configMapRef.name);
      expect(names('ServiceAccount')).toContain(spec.serviceAccountName);
      expect(container.image).toBe('registry.example.com/grain-data-exchange:0.1.0');
      for (const { name } of container.volumeMounts)
        expect(spec.volumes.map((volume: Manifest) => volume.name)).toContain(name);
    }
  },
);

// The controller puts the current version back to the number that is said here, whatever the autoscaler wants.
test.each(SCALERS)(
  'with %s the number of workers is the autoscaler’s, which goes down slowly',
  (scaler, kind) => {
    const all = render([scaler]);
    const scaled = scalerOf(all);
    expect(one(all, kind, 'gdx-worker').spec).not.toHaveProperty('replicas');
    // What KEDA does with a field: the cool-down is for the way to 0, the rest of the way is its HorizontalPodAutoscaler's.
    expect(scaled).toMatchObject({
      minReplicaCount: 2,
      advanced: {
        horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
      },
    });
    expect(scaled).not.toHaveProperty('cooldownPeriod');
  },
);

test('with the Worker Controller run the same pods, as versions, and gdx knows their name', () => {
  const all = render(['worker-controller']);
  const { metadata, spec } = one(all, 'WorkerDeployment');
  expect(one(all, 'Deployment', 'gdx-worker')).toBeUndefined();
  expect(Object.keys(spec).sort()).toEqual(['rollout', 'sunset', 'template', 'workerOptions']);
  const settings = all.find(({ kind, metadata: { name } }) => kind === 'ConfigMap' && /settings/.test(name));
  expect(settings.data['TEMPORAL_DEPLOYMENT_NAME']).toBe(`${metadata.namespace}/${metadata.name}`);
  const plain = one(render([]), 'Deployment', 'gdx-worker').spec.template;
  const unnamed = (template: Manifest) =>
    JSON.stringify(template).replace(/gdx-settings-\w+/, 'gdx-settings');
  expect(unnamed(spec.template)).toBe(unnamed(plain));
});

test.each(SCALERS)('with %s Temporal is asked where the settings say it is', (scaler) => {
  const all = render([scaler], [`TEMPORAL_ADDRESS=${TEMPORAL}`, 'TEMPORAL_NAMESPACE=gdx.a1b2c']);
  for (const { metadata } of scalerOf(all).triggers)
    expect([metadata.endpoint, metadata.namespace]).toEqual([
      TEMPORAL,
      scaler === 'keda' ? 'gdx.a1b2c' : '', // filled in by the controller
    ]);
  if (scaler === 'keda') return;
  expect(one(all, 'Connection').spec.hostPort).toBe(TEMPORAL);
  expect(one(all, 'WorkerDeployment').spec.workerOptions.temporalNamespace).toBe('gdx.a1b2c');
});

// Who speaks to Temporal: API, worker, job and gdx by their settings, KEDA by each trigger, the controller by its connection.
const PROOFS = [
  ['temporal-tls', 'gdx-temporal-tls', ['cert', 'key', 'ca'], 'mutualTLSSecretRef'],
  ['temporal-cloud', 'gdx-temporal-key', ['apiKey'], 'apiKeySecretRef'],
] as const;
test.each(SCALERS.flatMap(([scaler]) => PROOFS.map((proof) => [scaler, ...proof] as const)))(
  'with %s and %s whatever speaks to Temporal proves itself by %s',
  (scaler, access, secret, parameters, reference) => {
    const all = render([scaler, access]);
    for (const { spec } of all.filter(isWorkload)) {
      const { volumes, containers } = spec.template.spec;
      expect(JSON.stringify([volumes, containers[0].envFrom])).toContain(`"${secret}"`);
    }
    const authentication = one(all, 'TriggerAuthentication');
    for (const { authenticationRef } of scalerOf(all).triggers)
      expect(authenticationRef).toEqual({ name: authentication.metadata.name });
    const { secretTargetRef } = authentication.spec;
    expect(secretTargetRef.map(({ parameter }: Manifest) => parameter)).toEqual(parameters);
    expect(new Set(secretTargetRef.map(({ name }: Manifest) => name))).toEqual(new Set([secret]));
    if (scaler === 'worker-controller')
      expect(one(all, 'Connection').spec[reference]).toMatchObject({ name: secret });
  },
);

test('the migration has a name of its own each version, goes by itself, and runs before what needs it', () => {
  const all = render(['keda', 'monitoring']);
  const job = one(all, 'Job');
  const [, version = ''] = job.spec.template.spec.containers[0].image.split(':') as string[];
  expect(job.metadata.name).toBe(`gdx-migrate-${version.replaceAll('.', '-')}`);
  expect(job.spec.ttlSecondsAfterFinished).toBe(3600);
  const wave = ({ metadata }: Manifest) =>
    Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);
  const before = all.filter((each) => wave(each) < wave(job)).map(({ kind }) => kind);
  expect(new Set(before)).toEqual(new Set(['ServiceAccount', 'ConfigMap', 'NetworkPolicy']));
  for (const name of ['gdx-api', 'gdx-worker'])
    expect(wave(one(all, 'Deployment', name))).toBeGreaterThan(wave(job));
});

test('Prometheus and Grafana get what they get of docker-compose', () => {
  const all = render(['monitoring']);
  const read = (file: string) => readFileSync(path.join(DEPLOY, 'observability', file), 'utf8');
  expect(one(all, 'PrometheusRule').spec).toEqual(parse(read('alerts.yml')));
  expect(one(all, 'ConfigMap', 'gdx-dashboard').data).toEqual({
    'gdx.json': read('grafana/dashboards/gdx.json'),
  });
});
