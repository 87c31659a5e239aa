import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkout, localDir } from './checkout';
import { withLock } from './lock-file';

/** A program that an npm package knows how to download. */
export interface Download {
  program: string;
  size: string;
  /** Runs in its own Node process, which can be killed, and prints the path. `process.argv[1]` is the folder. */
  script: string;
}

const DAY_MS = 24 * 3_600_000;
const STALLED_MS = 20_000;

/**
 * Path of the program in `.local/programs`, downloaded once. A failed download is not retried for a day, and one that
 * stalls for 20 s is aborted.
 */
export async function downloadProgram(
  download: Download,
  log: (line: string) => void,
  dir = path.join(localDir, 'programs'),
): Promise<string> {
  const target = path.join(dir, download.program);
  const fetchOnce = async () => {
    if (existsSync(target)) return target;
    if (failedLately(`${target}.failed`)) {
      throw new Error(`the download of ${download.program} failed within the last day`);
    }
    log(`fetching ${download.program} (${download.size}, once) ...`);
    return await fetchProgram(download, target, log);
  };
  if (existsSync(target)) return target;
  return await withLock(`${target}.lock`, fetchOnce, ({ pid }) =>
    log(`process ${pid} is fetching ${download.program}; waiting for it ...`),
  );
}

async function fetchProgram(
  download: Download,
  target: string,
  log: (line: string) => void,
): Promise<string> {
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  try {
    const found = await runScript(download.script, partial);
    await copyFile(found, `${partial}/done`); // it may be in a shared cache, so it is not moved
    await chmod(`${partial}/done`, 0o755);
    await rename(`${partial}/done`, target);
    return target;
  } catch (error) {
    await writeFile(`${target}.failed`, (error as Error).message);
    log(`no download of ${download.program} here; not tried again for a day`);
    throw new Error(`the download of ${download.program} failed: ${(error as Error).message}`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

function runScript(script: string, dir: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', script, dir], { cwd: checkout });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (output.stdout += chunk));
    child.stderr.on('data', (chunk) => (output.stderr += chunk));
    let stalled = false;
    const watch = watchGrowth(dir, () => (stalled = child.kill('SIGKILL')));
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(watch);
      if (code === 0) resolve(lastLine(output.stdout));
      else reject(new Error(stalled ? 'nothing came for 20 s' : lastLine(output.stderr)));
    });
  });
}

function watchGrowth(dir: string, onStalled: () => void): NodeJS.Timeout {
  let [size, grownAt] = [0, Date.now()];
  return setInterval(() => {
    void sizeOf(dir).then((now) => {
      if (now > size) [size, grownAt] = [now, Date.now()];
      if (Date.now() - grownAt > STALLED_MS) onStalled();
    });
  }, 1_000);
}

async function sizeOf(dir: string): Promise<number> {
  const names = await readdir(dir, { recursive: true });
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(dir, name)).then(
        (s) => s.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function failedLately(file: string): boolean {
  return existsSync(file) && Date.now() - statSync(file).mtimeMs < DAY_MS;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
