import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../tools/local/free-port';
import { OwnPart } from '../../tools/local/own-part';
import { startGateway } from './gateway';
import { inRoot, makeRoot, root } from './make-root';
import { PgConnection } from './pg-connection';

const USER = 'setpriv --reuid=postgres --regid=postgres --clear-groups';

// Nothing outlives a run, so nothing is flushed to the disk; connections are those of three workers of jest.
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
  'cron.database_name': 'postgres',
  'cron.host': '127.0.0.1',
  fsync: 'off',
  max_connections: '500',
};

const start = (port: number) =>
  [
    'export PATH=/usr/lib/postgresql/18/bin:$PATH',
    'install -d -o postgres /srv/data',
    `${USER} initdb -D /srv/data -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync`,
    `exec ${USER} postgres -D /srv/data -p ${port} ${Object.entries(SETTINGS)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' ')}`,
  ].join(' && ');

/** PostgreSQL with DocumentDB, empty, and the gateway in front of it. @throws NoEngine */
export async function startEngine(say: (line: string) => void) {
  await makeRoot(say);
  const folder = await mkdtemp(path.join(tmpdir(), 'gdx-engine-'));
  const port = await freePort();
  const postgres = new OwnPart({
    name: 'postgres',
    how: 'own',
    command: 'unshare',
    args: inRoot(root, 'sh', '-c', start(port)),
    cwd: folder,
    output: path.join(folder, 'postgres.log'),
    pidFile: path.join(folder, 'postgres.pid'),
    ready: async () => (await PgConnection.open(port)).end(),
    graceMs: 10_000,
    log: say,
  });
  await postgres.start();
  const admin = await PgConnection.open(port);
  await admin.query('CREATE EXTENSION documentdb CASCADE');
  const [row] = await admin.query(`SELECT current_setting('server_version'),
    (SELECT extversion FROM pg_extension WHERE extname = 'documentdb')`);
  admin.end();
  const gateway = await startGateway(port);
  return {
    name: `PostgreSQL ${String(row![0])}, DocumentDB ${String(row![1])}`,
    uri: gateway.uri,
    async stop() {
      gateway.stop();
      await postgres.kill();
      await rm(folder, { recursive: true });
    },
  };
}
