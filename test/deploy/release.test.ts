import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { temporaryFolder } from '../setup/temporary-folder';

const IMAGE = 'registry.example.com:5000/team/gdx';
const DIGEST = `sha256:${'0a'.repeat(32)}`;
const OVERLAY = 'deploy/kubernetes/overlays/production/kustomization.yaml';

// What each program of others is asked, beside what is committed by then; the registry's answers are made up.
const LOG = 'echo "$(git -C "$CHECKOUT" log -1 --format=%s) | $(basename "$0") $*" >> "$LOG"';
const PROGRAMS = {
  docker: `case "$1 $2" in
    'buildx build')
      while [ "$1" != --metadata-file ]; do shift; done
      echo '{"containerimage.digest":"${DIGEST}"}' > "$2" ;;
    create*) echo box ;;
    cp*) mkdir -p "$3" && cd "$3" && echo client > gdx.mjs && sha256sum gdx.mjs > gdx.mjs.sha256 ;;
  esac`,
  cosign: '',
  syft: '',
  gh: 'exit 1',
};

function release() {
  const folder = temporaryFolder('release');
  const [bin, repository, log] = ['bin', 'repository', 'log'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(bin);
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(path.join(bin, name), `#!/bin/bash\n${LOG}\n${script}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  for (const file of ['deploy/release.sh', 'deploy/Dockerfile', OVERLAY, 'package.json'])
    cpSync(path.join(checkout, file), path.join(repository, file));
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, {
      cwd: repository,
      encoding: 'utf8',
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        LOG: log,
        CHECKOUT: repository,
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'user.name',
        GIT_CONFIG_VALUE_0: 'Release',
        GIT_CONFIG_KEY_1: 'user.email',
        GIT_CONFIG_VALUE_1: 'release@example.com',
      },
    });
  run('git', 'init', '--quiet');
  run('git', 'add', '.');
  run('git', 'commit', '--quiet', '-m', 'Before');
  return { run, repository, lines: () => readFileSync(log, 'utf8').trim().split('\n') };
}

test('a release builds, deploys the digest, commits that, and then signs what is deployed', () => {
  const { run, repository, lines } = release();
  expect(run('deploy/release.sh', IMAGE)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${OVERLAY} deploys ${IMAGE}@${DIGEST}\n`),
  });
  const steps = [
    'Before | docker buildx build -f deploy/Dockerfile --label',
    `Deploy 0.1.0 | syft scan registry:${IMAGE}@${DIGEST}`,
    `Deploy 0.1.0 | cosign sign --yes ${IMAGE}@${DIGEST}`,
    'Deploy 0.1.0 | cosign attest --yes --type spdxjson',
    `Deploy 0.1.0 | docker create ${IMAGE}@${DIGEST}`,
    'Deploy 0.1.0 | docker cp box:/app/dist/downloads/.',
    'Deploy 0.1.0 | cosign sign-blob --yes --bundle gdx.mjs.sigstore.json gdx.mjs',
  ];
  const places = steps.map((step) => lines().findIndex((line) => line.startsWith(step)));
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(places).not.toContain(-1);
  const overlay = readFileSync(path.join(repository, OVERLAY), 'utf8');
  expect(overlay).toContain(`newName: ${IMAGE}\n    digest: ${DIGEST} # 0.1.0\n`);
  expect(overlay).not.toContain('newTag');
  expect(run('git', 'status', '--porcelain').stdout).toBe('');

  writeFileSync(path.join(repository, 'package.json'), '{"version":"0.2.0"}');
  expect(run('deploy/release.sh', IMAGE)).toMatchObject({
    status: 1,
    stderr: 'the checkout has changes that are not committed; commit them\n',
  });
  run('git', 'commit', '--quiet', '--all', '-m', 'Version 0.2.0');
  expect(run('deploy/release.sh', IMAGE).status).toBe(0);
  expect(readFileSync(path.join(repository, OVERLAY), 'utf8')).toContain('value: gdx-migrate-0-2-0 }');
});

test('every backup in the documentation is encrypted before it touches a disk', () => {
  const page = readFileSync(path.join(checkout, 'docs', 'backup.md'), 'utf8').replace(/\\\n\s*/g, '');
  const dumps = page.split('\n').filter((line) => /^docker-compose.*mongodump/.test(line));
  expect(dumps).toHaveLength(1);
  for (const line of dumps) expect(line).toMatch(/\| age -R \S+ > \S+\.age$/);
});
