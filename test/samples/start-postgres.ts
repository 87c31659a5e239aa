import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../tools/local/free-port';
import { eventually } from '../setup/eventually';
import { runTool } from '../setup/run-tool';

const INSTALL = 'apt-get install postgresql, and have its folder bin on PATH (/usr/lib/postgresql/15/bin)';
const NOBODY = 65_534; // PostgreSQL refuses to run as root

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** A PostgreSQL of its own on loopback, in a folder of its own. */
export async function startPostgres() {
  const folder = mkdtempSync('/tmp/gdx-postgres-');
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, install: INSTALL };
  const data = path.join(folder, 'data');
  runTool(['initdb', '-D', data, '-U', 'gdx', '-A', 'trust', '-E', 'UTF8'], options);
  const port = await freePort();
  const url = `postgres://gdx@127.0.0.1:${port}/postgres`;
  const psql = (sql: string) => runTool(['psql', url, '-XAtqc', sql], { install: INSTALL }).trim();

  let ended: Promise<unknown>;
  let server: ReturnType<typeof spawn>;
  const start = async () => {
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    server = spawn('postgres', args, { ...user, cwd: folder, stdio: 'ignore' });
    ended = once(server, 'exit');
    await eventually(() => psql('SELECT 1'));
  };
  /** Without a checkpoint, as when the machine goes: what was committed must be there afterwards. */
  const crash = async () => {
    server.kill('SIGQUIT');
    await ended;
  };
  await start();
  return {
    url,
    psql,
    start,
    crash,
    async stop() {
      await crash();
      rmSync(folder, { recursive: true });
    },
  };
}
