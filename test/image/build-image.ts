import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { readDockerfile } from '../deploy/read-dockerfile';
import { runTool } from '../setup/run-tool';

const docker = (...args: string[]) => spawnSync('docker', args).status === 0;

/** The image that deploy/Dockerfile names, or where no registry is reached a likeness of it. */
export function nodeImage(): string {
  const named = readDockerfile()[0]!.base;
  const likeness = `localhost/${named}`;
  const held = [named, likeness].find((image) => docker('image', 'inspect', image));
  if (held) return held;
  if (docker('pull', named)) return named;
  execFileSync(path.join(__dirname, 'make-node-image.sh'), [likeness], { stdio: 'inherit' });
  return likeness;
}

/** Builds deploy/Dockerfile up to a stage. @returns its tag, which keeps the engine from throwing the layers away */
export function buildImage(stage: string, base: string): string {
  const began = Date.now();
  const tag = `grain-data-exchange-test:${stage}`;
  const from = ['--file', 'deploy/Dockerfile', '--target', stage, '--build-arg', `NODE_IMAGE=${base}`];
  runTool(['docker', 'build', '--network', 'host', ...from, '--tag', tag, '.'], {
    install: 'https://docs.docker.com/engine/install',
    cwd: checkout,
  });
  console.log(`image: ${stage} built in ${((Date.now() - began) / 1_000).toFixed(1)} s`);
  return tag;
}
