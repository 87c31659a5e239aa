import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { runTool } from '../setup/run-tool';

/** What node-image.sh prints. */
export const nodeImage = () =>
  execFileSync(path.join(__dirname, 'node-image.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

const NAMED = /node:[\d.]+-bookworm-slim(@sha256:[0-9a-f]{64})?/;

/**
 * Builds deploy/Dockerfile up to a stage.
 * @param base the image that it is built on instead of the one that it names
 * @returns its tag, which keeps the engine from throwing the layers away
 */
export function buildImage(stage: string, base: string, cwd = checkout, name = stage): string {
  const began = Date.now();
  const tag = `grain-data-exchange-test:${name}`;
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'gdx-image-')), 'Dockerfile');
  writeFileSync(file, readFileSync(path.join(cwd, 'deploy/Dockerfile'), 'utf8').replace(NAMED, base));
  try {
    runTool(['docker', 'build', '--network', 'host', '--file', file, '--target', stage, '--tag', tag, '.'], {
      install: 'https://docs.docker.com/engine/install',
      cwd,
    });
  } finally {
    rmSync(path.dirname(file), { recursive: true });
  }
  console.log(`image: ${name} built in ${((Date.now() - began) / 1_000).toFixed(1)} s`);
  return tag;
}
