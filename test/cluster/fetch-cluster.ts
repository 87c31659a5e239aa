import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { localDir } from '../../tools/local/checkout';
import { withLock } from '../../tools/local/lock-file';
import { awaitTool } from '../setup/run-tool';
import { temporaryFolder } from '../setup/temporary-folder';

/** The API server, kubectl, and the etcd that this version asks for. */
const KUBERNETES = '1.36.3';

/** Of what a cluster has besides: the earliest versions that docs/deploy.md allows; it allows any Prometheus operator. */
const DEFINITIONS = [
  { module: 'sigs.k8s.io/gateway-api', version: '1.2.0', folder: 'config/crd/standard' },
  { module: 'github.com/kedacore/keda/v2', version: '2.20.0', folder: 'config/crd/bases' },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: '0.85.0',
    folder: 'example/prometheus-operator-crd',
  },
];

const PROGRAMS = [
  'k8s.io/kubernetes/cmd/kube-apiserver',
  'k8s.io/kubernetes/cmd/kubectl',
  'go.etcd.io/etcd/server/v3',
];

/** The folder of kube-apiserver, kubectl and etcd (`server`), built once. */
export async function clusterPrograms(): Promise<string> {
  const folder = path.join(localDir, 'programs', `kubernetes-${KUBERNETES}`);
  const buildOnce = async () => {
    if (!existsSync(folder)) await build(folder);
    return folder;
  };
  return await withLock(`${folder}.lock`, buildOnce, ({ pid }) =>
    console.log(`process ${pid} is building Kubernetes; waiting for it ...`),
  );
}

/** The folders of the definitions of the Gateway API, KEDA and the Prometheus operator. */
export function definitionFolders(): Promise<string[]> {
  return Promise.all(
    DEFINITIONS.map(async ({ module, version, folder }) => path.join(await fetched(module, version), folder)),
  );
}

async function build(folder: string): Promise<void> {
  console.log(`building Kubernetes ${KUBERNETES} (once, up to half an hour) ...`);
  const sources = await fetched('k8s.io/kubernetes', KUBERNETES);
  const work = temporaryFolder('kubernetes');
  copyFileSync(path.join(sources, 'go.sum'), path.join(work, 'go.sum'));
  writeFileSync(path.join(work, 'go.mod'), ownGoMod(readFileSync(path.join(sources, 'go.mod'), 'utf8')));
  const [major, minor] = KUBERNETES.split('.');
  const values = { gitVersion: `v${KUBERNETES}`, gitMajor: major, gitMinor: minor };
  const named = Object.entries(values).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  await go(
    ['build', '-mod=mod', '-ldflags', `-s -w ${named.join(' ')}`, '-o', `${partial}/`, ...PROGRAMS],
    work,
  );
  renameSync(partial, folder);
}

/** Where Kubernetes takes its libraries from its own folder staging/, ours takes them as they are published beside it. */
function ownGoMod(theirs: string): string {
  return `${theirs
    .replace(/^module .*/m, 'module cluster')
    .replace(/=> \.\/staging\/src\/(\S+)/g, `=> $1 v0${KUBERNETES.slice(1)}`)}
require k8s.io/kubernetes v${KUBERNETES}
`;
}

/** The folder of a module's sources. */
async function fetched(module: string, version: string): Promise<string> {
  const answer = await go(['mod', 'download', '-json', `${module}@v${version}`], temporaryFolder('modules'));
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

const go = (args: string[], cwd: string) =>
  awaitTool(['go', ...args], {
    install: `https://go.dev/doc/install (what Kubernetes ${KUBERNETES} asks for: Go 1.26)`,
    cwd,
    env: { ...process.env, CGO_ENABLED: '0' },
  });
