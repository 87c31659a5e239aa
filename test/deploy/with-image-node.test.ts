import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { temporaryFolder } from '../setup/temporary-folder';
import { readDockerfile } from './read-dockerfile';

// The slow tests run on the Node that the image has, and on no other: .ci/with-image-node reads it from deploy/Dockerfile.

const SCRIPT = '.ci/with-image-node';
const [, version] = /^node:(\d+\.\d+\.\d+)-/.exec(readDockerfile()[0]!.base)!;

/** Runs the script beside a Dockerfile, where a program lies in the place of the image's Node. */
function run(dockerfile: string, says: string) {
  const folder = temporaryFolder('image-node');
  const at = (...names: string[]) => path.join(folder, ...names);
  for (const each of ['.ci', 'deploy']) mkdirSync(at(each));
  cpSync(path.join(checkout, SCRIPT), at(SCRIPT));
  writeFileSync(at('deploy/Dockerfile'), dockerfile);
  const name = `node-${process.platform}-${process.arch}`;
  const bin = at('cache/grain-data-exchange', `node-${version}`, 'node_modules', name, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, 'node'), `#!/bin/sh\necho ${says}\n`);
  chmodSync(path.join(bin, 'node'), 0o755);
  const env = { ...process.env, XDG_CACHE_HOME: at('cache'), npm_config_offline: 'true' };
  return spawnSync(at(SCRIPT), ['node', '--version'], { env, encoding: 'utf8' });
}

const ours = readFileSync(path.join(checkout, 'deploy/Dockerfile'), 'utf8');

test('the command runs on the Node that deploy/Dockerfile names', () => {
  expect(run(ours, `v${version}`)).toMatchObject({ status: 0, stdout: `v${version}\n` });
});

test('a Dockerfile without that line stops it, and no Node is chosen in its place', () => {
  const { status, stdout, stderr } = run(ours.replace(/^FROM node:/m, 'ARG NODE_IMAGE=node:'), `v${version}`);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('names no Node');
});

test('another Node in its place stops it as well', () => {
  const { status, stderr } = run(ours, 'v20.20.2');
  expect(status).toBe(1);
  expect(stderr).toContain(`is v20.20.2, and the image has v${version}`);
});

test('.ci/run plays the slow tests with it', () => {
  const script = readFileSync(path.join(checkout, '.ci/run'), 'utf8');
  expect(script).toMatch(/^GDX_TIER=slow step \.ci\/with-image-node npx jest /m);
  expect(script).not.toContain('Dockerfile');
});
