import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { localDir } from '../../tools/local/checkout';
import { freePort } from '../../tools/local/free-port';
import { OwnPart } from '../../tools/local/own-part';
import { awaitTool } from '../setup/run-tool';
import { temporaryFolder } from '../setup/temporary-folder';
import { clusterPrograms, definitionFolders } from './fetch-cluster';
import { OWN_DEFINITIONS } from './own-definitions';

export interface Cluster {
  kubectl(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** A Kubernetes API server on its etcd, which knows the kinds of our manifests. It has no nodes: nothing that is applied runs. */
export async function startCluster(): Promise<Cluster> {
  const programs = await clusterPrograms();
  const folder = temporaryFolder('cluster');
  const [etcd, etcdPeers, api] = [await freePort(), await freePort(), await freePort()];
  const [etcdUrl, token] = [`http://127.0.0.1:${etcd}`, randomUUID()];
  writeFileSync(path.join(folder, 'tokens.csv'), `${token},test,test,system:masters\n`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = path.join(folder, 'service-accounts.pem');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));

  const access = [
    `--server=https://127.0.0.1:${api}`,
    `--certificate-authority=${path.join(folder, 'certificates', 'apiserver.crt')}`,
    `--token=${token}`,
  ];
  const env = { PATH: process.env.PATH, HOME: folder }; // no cluster of whoever runs this
  const kubectl = (...args: string[]) =>
    awaitTool([path.join(programs, 'kubectl'), ...access, ...args], {
      install: 'fetch-cluster.ts builds it',
      env,
    });
  const part = (name: string, program: string, flags: string[], ready: () => Promise<void>) =>
    new OwnPart({
      name,
      how: 'own',
      command: path.join(programs, program),
      args: flags,
      cwd: folder,
      output: path.join(folder, `${name}.log`),
      pidFile: path.join(localDir, `${name}.pid`),
      ready,
      graceMs: 15_000,
      log: console.log,
    });
  const parts = [
    part('etcd', 'server', etcdFlags(folder, etcdUrl, `http://127.0.0.1:${etcdPeers}`), async () => {
      if (!(await fetch(`${etcdUrl}/health`)).ok) throw new Error('etcd is not healthy yet');
    }),
    part('kube-apiserver', 'kube-apiserver', apiFlags(folder, api, etcdUrl, key), async () => {
      await kubectl('get', '--raw', '/readyz');
    }),
  ];
  const stop = async () => {
    for (const each of [...parts].reverse()) await each.stop();
  };
  try {
    for (const each of parts) await each.start();
    await define(kubectl, folder);
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubectl, stop };
}

/** The kinds of the Gateway API, KEDA, the Prometheus operator, the Worker Controller and NGINX Gateway Fabric. */
async function define(kubectl: Cluster['kubectl'], folder: string): Promise<void> {
  const own = path.join(folder, 'own-definitions.json');
  writeFileSync(own, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OWN_DEFINITIONS }));
  const files = [...(await definitionFolders()), own].flatMap((file) => ['-f', file]);
  await kubectl('apply', '--server-side', ...files);
  await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
}

const etcdFlags = (folder: string, clients: string, peers: string) => [
  `--data-dir=${path.join(folder, 'etcd')}`,
  '--unsafe-no-fsync',
  `--listen-client-urls=${clients}`,
  `--advertise-client-urls=${clients}`,
  `--listen-peer-urls=${peers}`,
  `--initial-advertise-peer-urls=${peers}`,
  `--initial-cluster=default=${peers}`,
];

const apiFlags = (folder: string, port: number, etcd: string, key: string) => [
  `--etcd-servers=${etcd}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  '--endpoint-reconciler-type=none',
  `--secure-port=${port}`,
  `--cert-dir=${path.join(folder, 'certificates')}`,
  '--service-cluster-ip-range=10.0.0.0/24',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${key}`,
  `--service-account-signing-key-file=${key}`,
  `--token-auth-file=${path.join(folder, 'tokens.csv')}`,
  '--anonymous-auth=false',
  '--authorization-mode=AlwaysAllow',
  '--allow-privileged=true', // so that it is the namespace that refuses them
  '--disable-admission-plugins=ServiceAccount', // who else would make the token of each pod
];
