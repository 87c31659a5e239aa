import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { readDockerfile } from '../deploy/read-dockerfile';

/**
 * The steps of a Dockerfile of one stage in an empty folder: what an engine would do, without one.
 * @param context the folder it is built from
 * @returns the folder of the finished image, and of its /app
 */
export function playDockerfile(file: string, context: string): { folder: string; app: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gdx-image-'));
  let workdir = folder;
  for (const { op, args } of readDockerfile(file).at(-1)!.instructions) {
    if (op === 'WORKDIR') mkdirSync((workdir = path.join(folder, args)), { recursive: true });
    if (op === 'COPY') copy(context, workdir, args.split(/\s+/));
    if (op === 'RUN') run(workdir, args);
  }
  return { folder, app: path.join(folder, 'app') };
}

function copy(context: string, workdir: string, words: string[]): void {
  const to = words.pop()!;
  for (const word of words) cpSync(path.join(context, word), path.join(workdir, to, path.basename(word)));
}

function run(workdir: string, command: string): void {
  console.log(`RUN ${command}`);
  const env = {
    PATH: process.env.PATH,
    HOME: homedir(),
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
  };
  execFileSync('sh', ['-c', command], { cwd: workdir, env, stdio: ['ignore', 'inherit', 'inherit'] });
}
