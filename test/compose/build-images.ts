import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkout, localDir } from '../../tools/local/checkout';
import { pythonPackages } from '../../tools/local/python-packages';
import { buildImage, nodeImage } from '../image/build-image';

// The services of docker-compose.yml whose image is not ours, and what starts in it. The others say so in the file.
const PARTS = [
  { services: ['mongodb', 'mongodb-init', 'temporal-schema', 'temporal-namespace'], starts: [] },
  { services: ['postgresql'], starts: ['postgresql-server'] },
  { services: ['temporal'], starts: ['temporal-server'] },
  { services: ['temporal-ui'], starts: ['nc', '-l', '-k', '-p', '8080'] },
];

export interface Images {
  /** The service as it was before this commit, and as it is. */
  before: string;
  now: string;
  /** The image of each service of others. */
  parts: Record<string, string>;
}

/** Builds all that docker-compose starts, while there is a way out to the registries of packages. */
export async function buildImages(before: string, say: (line: string) => void): Promise<Images> {
  const base = nodeImage();
  await pythonPackages(say);
  const all = buildParts(base);
  const parts = PARTS.flatMap(({ services, starts }) => {
    const tag = `grain-data-exchange-test:${services[0]!}`;
    const entrypoint = `ENTRYPOINT ${JSON.stringify(starts)}`;
    run(`printf 'FROM ${all}\n${entrypoint}\n' | docker build --quiet --tag ${tag} -`);
    return services.map((service) => [service, tag]);
  });
  buildImage('demo-build', base); // the others copy from it
  const demo = buildImage('demo', base);
  run(`docker tag ${demo} grain-data-exchange-demo:0.1.0`); // as docker-compose.yml names it
  return {
    before: buildBefore(before, base),
    now: buildImage('runtime', base),
    parts: Object.fromEntries(parts),
  };
}

function buildParts(base: string): string {
  const tag = 'grain-data-exchange-test:parts';
  const context = [
    `-C '${path.join(__dirname, 'parts')}' Dockerfile bin -C '${localDir}' python`,
    `-C '${path.join(checkout, 'tools')}' local/secantusd.py local/wiredtiger_columns.py`,
  ].join(' ');
  const options = `--quiet --network host --build-arg NODE_IMAGE=${base} --tag ${tag}`;
  // 1: a file has changed meanwhile, if only its number of links
  run(`{ tar --create ${context} || [ $? = 1 ]; } | docker build ${options} -`);
  return tag;
}

/** The image of another commit of this repository. */
function buildBefore(revision: string, base: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gdx-before-'));
  try {
    // with the modes of a checkout, so that the engine knows its layers
    run(`git -c tar.umask=022 archive '${revision}' | tar --extract --directory '${folder}'`);
    return buildImage('runtime', base, folder, 'before');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const run = (script: string) =>
  execFileSync('bash', ['-o', 'pipefail', '-c', script], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
