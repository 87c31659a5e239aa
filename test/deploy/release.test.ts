import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const script = path.join(checkout, 'deploy', 'release.sh');
const text = readFileSync(script, 'utf8');

test('a release is built on a digest, described, signed, with the client that is in it, and named by its own digest', () => {
  execFileSync('bash', ['-n', script]);
  const steps = [
    'git status --porcelain',
    'imagetools inspect "$base"',
    '--build-arg "NODE_IMAGE=$base@$base_digest"',
    'syft scan "registry:$image@$digest"',
    'cosign sign --yes "$image@$digest"',
    'cosign attest --yes --type spdxjson',
    'docker create "$image@$digest"',
    'docker cp "$container:/app/dist/downloads/."',
    'sha256sum --check gdx.mjs.sha256',
    'cosign sign-blob --yes --bundle gdx.mjs.sigstore.json gdx.mjs',
    'gh release upload "v$version" "$out"/downloads/gdx.mjs*',
    'kustomize edit set image grain-data-exchange=$image@$digest',
  ];
  const places = steps.map((step) => text.indexOf(step));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test('every backup in the documentation is encrypted before it touches a disk', () => {
  const page = readFileSync(path.join(checkout, 'docs', 'backup.md'), 'utf8').replace(/\\\n\s*/g, '');
  const dumps = page.split('\n').filter((line) => /^docker-compose.*mongodump/.test(line));
  expect(dumps).toHaveLength(1);
  for (const line of dumps) expect(line).toMatch(/\| age -R \S+ > \S+\.age$/);
});
