import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { localDir } from '../../tools/local/checkout';

const MIRROR = 'http://deb.debian.org/debian';
const PACKAGE = 'postgresql-18-documentdb'; // in sid alone, as of November 2026

/** Debian with PostgreSQL and the extension. It is made once, and its data are in memory. */
export const root = path.join(localDir, 'engine', 'root');

/** The root cannot be made here: there is no engine to prove anything on. */
export class NoEngine extends Error {}

/** Makes the root where there is none. @throws NoEngine */
export async function makeRoot(say: (line: string) => void, where = root): Promise<void> {
  if (existsSync(where)) return;
  if (process.getuid?.() !== 0) throw new NoEngine('a root is made by root alone');
  const began = Date.now();
  const being = `${where}-being-made-${process.pid}`;
  say(`making a root of Debian sid with ${PACKAGE} in ${where}: about 1 GB, a few minutes`);
  await mkdir(path.dirname(where), { recursive: true });
  try {
    await run('debootstrap', ['--variant=minbase', 'sid', being, MIRROR]);
    const noServices = path.join(being, 'usr/sbin/policy-rc.d');
    await writeFile(noServices, '#!/bin/sh\nexit 101\n');
    await chmod(noServices, 0o755);
    const install = ['apt-get', 'install', '--yes', '--no-install-recommends', PACKAGE];
    await run('unshare', inRoot(being, 'env', 'DEBIAN_FRONTEND=noninteractive', ...install));
    await rename(being, where);
  } catch (error) {
    throw new NoEngine((error as Error).message);
  } finally {
    await rm(being, { recursive: true, force: true });
  }
  say(`made in ${Math.round((Date.now() - began) / 1_000)} s`);
}

/** The arguments of `unshare` that run a command in the root, with /proc, and with memory for shared and own data. */
export function inRoot(where: string, ...command: string[]): string[] {
  const mounts = ['proc proc', 'tmpfs dev/shm', 'tmpfs srv'].map((one) => {
    const [kind, at] = one.split(' ');
    return `mount -t ${kind} ${kind} "$0/${at}"`;
  });
  return ['--mount', '--', 'sh', '-c', `${mounts.join(' && ')} && exec chroot "$0" "$@"`, where, ...command];
}

/** @throws Error with the last lines of what it said */
async function run(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
  const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}:\n${said.trim()}`);
}
