import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { runTool } from '../setup/run-tool';

/** What node-image.sh prints. */
export const nodeImage = () =>
  execFileSync(path.join(__dirname, 'node-image.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** Builds deploy/Dockerfile up to a stage. @returns its tag, which keeps the engine from throwing the layers away */
export function buildImage(stage: string, base: string, cwd = checkout, name = stage): string {
  const began = Date.now();
  const tag = `grain-data-exchange-test:${name}`;
  const from = ['--file', 'deploy/Dockerfile', '--target', stage, '--build-arg', `NODE_IMAGE=${base}`];
  runTool(['docker', 'build', '--network', 'host', ...from, '--tag', tag, '.'], {
    install: 'https://docs.docker.com/engine/install',
    cwd,
  });
  console.log(`image: ${name} built in ${((Date.now() - began) / 1_000).toFixed(1)} s`);
  return tag;
}
