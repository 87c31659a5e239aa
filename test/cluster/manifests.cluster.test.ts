import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { checkout } from '../../tools/local/checkout';
import { COMBINATIONS, isWorkload, type Manifest, overlayWith } from '../deploy/render-overlay';
import { temporaryFolder } from '../setup/temporary-folder';
import { type Cluster, startCluster } from './start-cluster';

// What a real API server says of the manifests: every field is known, every value allowed, every pod admitted, and no warning.

let cluster: Cluster | undefined;
const kubectl = (...args: string[]) => cluster!.kubectl(...args);
beforeAll(async () => {
  cluster = await startCluster();
}, 3_600_000); // the first time it is built
afterAll(() => cluster?.stop());

const STRICT = ['--validate=strict', '--warnings-as-errors'];

const folder = temporaryFolder('manifests');
function fileOf(text: string): string {
  const file = path.join(folder, `${randomUUID()}.yaml`);
  writeFileSync(file, text);
  return file;
}
// Not as a `List`: what is in one kubectl would check itself, by the server's schema, and leave less for the server.
const filed = (manifests: Manifest[]) =>
  fileOf(manifests.map((each) => JSON.stringify(each)).join('\n---\n'));

async function rendered(overlay: string): Promise<{ file: string; all: Manifest[] }> {
  const text = await kubectl('kustomize', overlay);
  return { file: fileOf(text), all: parseAllDocuments(text).map((each) => each.toJS() as Manifest) };
}

const apply = (file: string, ...more: string[]) =>
  kubectl('apply', '--server-side', ...STRICT, ...more, '-f', file);

/** As the server has it. A Gateway's first update stores the defaults of its status, under another version and with no other change. */
async function stored(file: string): Promise<Manifest[]> {
  const { items } = JSON.parse(await kubectl('get', '-o', 'json', '-f', file)) as { items: Manifest[] };
  for (const { metadata } of items) delete metadata.resourceVersion;
  return items;
}

/** Without the namespace, which only a controller could end. */
const remove = (all: Manifest[]) =>
  kubectl('delete', '--ignore-not-found', '-f', filed(all.filter(({ kind }) => kind !== 'Namespace')));

/** What controllers would make of them: a pod of each template, and the autoscaler of a version. */
const madeOf = (all: Manifest[]): Manifest[] => [
  ...all.filter(isWorkload).map(({ metadata: { name, namespace }, spec: { template } }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name, namespace },
    spec: template.spec,
  })),
  ...all
    .filter(({ kind }) => kind === 'WorkerResourceTemplate')
    .map(({ metadata, spec: { template, workerDeploymentRef } }) => ({
      ...template,
      metadata,
      spec: { ...template.spec, scaleTargetRef: workerDeploymentRef },
    })),
];

test.each(COMBINATIONS)(
  'with %j it takes everything, keeps it as sent, and changes nothing for a second time',
  async (components) => {
    const { file, all } = await rendered(overlayWith(components));
    const made = madeOf(all);
    expect(made.filter(({ kind }) => kind === 'Pod')).toHaveLength(4);
    try {
      await apply(file);
      const first = await stored(file);
      expect(first).toMatchObject(all);
      await apply(file);
      expect(await stored(file)).toEqual(first);
      await apply(filed(made));
    } finally {
      await remove([...made, ...all]);
    }
  },
);

test('the command of docs/deploy.md applies the overlay as it is, and changes nothing for a second time', async () => {
  const overlay = path.join(checkout, 'deploy/kubernetes/overlays/production');
  const { file, all } = await rendered(overlay);
  try {
    await kubectl('apply', ...STRICT, '-k', overlay);
    const first = await stored(file);
    await kubectl('apply', ...STRICT, '-k', overlay);
    expect(await stored(file)).toEqual(first);
  } finally {
    await remove(all);
  }
});

const PRIVILEGED = { privileged: true, allowPrivilegeEscalation: true };
const CONTAINER = 'template.spec.containers.0';
const MISTAKES: [kind: string, field: string, value: unknown, answer: RegExp][] = [
  ['Deployment', `${CONTAINER}.readynessProbe`, {}, /readynessProbe: field not declared in schema/],
  ['Deployment', `${CONTAINER}.securityContext`, PRIVILEGED, /Warning: would violate PodSecurity/],
  ['Pod', 'containers.0.securityContext', PRIVILEGED, /forbidden: violates PodSecurity "restricted/],
  ['Pod', 'containers.0.resources.limits.memory', '1.5 GB', /quantities must match/],
  ['Service', 'ports.0.port', 'eighty', /port: expected numeric/],
  ['HorizontalPodAutoscaler', 'minReplicas', 71, /maxReplicas: Invalid value/],
  ['NetworkPolicy', 'podSelector.matchLabels', { name: 'a b' }, /a valid label must/],
  ['Gateway', 'listeners.0.tls.mode', 'Passthrough', /tls mode must be Terminate for protocol HTTPS/],
  [
    'HTTPRoute',
    'rules.1.timeouts.backendRequest',
    '36s',
    /backendRequest timeout cannot be longer than request/,
  ],
  ['HTTPRoute', 'rules.0.matches.0.path.type', 'Prefix', /Unsupported value: "Prefix"/],
  ['ScaledObject', 'minReplicaCount', 25, /minReplicaCount must be less than or equal to maxReplicaCount/],
  ['ScaledObject', 'triggers.0.metadata.targetQueueSize', 20, /targetQueueSize: expected string/],
  ['ScaledObject', 'cooldown', 300, /cooldown: field not declared in schema/],
  ['PodMonitor', 'podMetricsEndpoints.0.interval', 'often', /interval.*should match/],
  ['PrometheusRule', 'groups.0.rules.0.for', 'a while', /for.*should match/],
  ['WorkerDeployment', 'rollout.strategy', 'Sometimes', /Unsupported value: "Sometimes"/],
  ['Connection', 'apiKeySecretRef', { name: 'a', key: 'b' }, /a certificate or a key, and not both/],
  ['ClientSettingsPolicy', 'body.maxSize', '17 MiB', /maxSize.*should match/],
];

function change(manifest: Manifest, field: string, value: unknown): Manifest {
  const changed = structuredClone(manifest);
  const names = field.split('.');
  const last = names.pop()!;
  names.reduce((at, name) => at[name], changed.spec)[last] = value;
  return changed;
}

test.each(MISTAKES)('a %s whose %s is %j is refused', async (kind, field, value, answer) => {
  const { all } = await rendered(
    overlayWith([
      ...(/^(Worker|Connection)/.test(kind) ? ['worker-controller', 'temporal-tls'] : ['keda']),
      'monitoring',
      'nginx-gateway',
    ]),
  );
  await apply(filed(all.filter((each) => each.kind === 'Namespace')));
  const right = [...madeOf(all), ...all].find((each) => each.kind === kind);
  const tried = (manifest: Manifest) => apply(filed([manifest]), '--dry-run=server');
  await tried(right);
  await expect(tried(change(right, field, value))).rejects.toThrow(answer);
});
