import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { isInContext, readDockerfile, type BuildStage } from './read-dockerfile';
import { checkout } from '../../tools/local/checkout';

/**
 * The Dockerfile's steps one by one, each stage in an empty folder of its own: what an engine would do, without one.
 * @param context what it is built from: the checkout, of which .dockerignore shows a part, or a folder in it
 * @returns the folder of the finished image, of its /app, and of the demo's
 */
export function playDockerfile(
  file?: string,
  context = checkout,
): { folder: string; app: string; demo: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gdx-image-'));
  const stages = readDockerfile(file);
  for (const stage of stages) playStage(folder, stage, context);
  return {
    folder,
    app: path.join(folder, stages.at(-1)!.name, 'app'),
    demo: path.join(folder, 'demo', 'app'),
  };
}

function playStage(folder: string, { base, name, instructions }: BuildStage, context: string): void {
  const root = path.join(folder, name);
  const before = path.join(folder, base);
  if (existsSync(before)) cpSync(before, root, { recursive: true, verbatimSymlinks: true });
  let workdir = root;
  for (const { op, args } of instructions) {
    if (op === 'WORKDIR') mkdirSync((workdir = path.join(root, args)), { recursive: true });
    if (op === 'COPY') copy(folder, workdir, args, context);
    if (op === 'RUN') run(workdir, args);
  }
}

function copy(folder: string, workdir: string, args: string, context: string): void {
  const words = args.split(/\s+/);
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
  const to = words.pop()!;
  for (const word of words) {
    const source = from ? path.join(folder, from, word) : path.join(context, word);
    // `COPY folder folder/` copies what is in the folder; files go into the folder named.
    const target = path.join(
      workdir,
      words.length === 1 && !/^\.\.?\/$/.test(to) ? to : path.join(to, path.basename(word)),
    );
    const filter = (file: string) =>
      from !== undefined || context !== checkout || isInContext(path.relative(checkout, file));
    cpSync(source, target, { recursive: true, filter, verbatimSymlinks: true });
  }
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
