import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { environment } from '../../config';
import { findMongo } from './find-mongo';
import { freePort } from './free-port';
import { askMongoName, mongoReady, REPLICA_SET_FLAGS } from './mongo-ready';
import { OwnPart } from './own-part';
import { givenPart, type Part } from './part';
import type { Program } from './program';
import { waitUntil } from './wait-until';

export interface StartedMongo {
  part: Part;
  uri: string;
  /** Such as `mongod 8.0.4` or `secantusd-py 0.7.0b3`. */
  name: string;
}

/** MongoDB on the data in `<dir>/mongo`, or the one at `uri`. `port`: preferred port, or 0 for any. */
export async function startMongo(options: {
  dir: string;
  uri: string | undefined;
  port: number;
  durable: boolean;
  log: (line: string) => void;
}): Promise<StartedMongo> {
  const { dir, uri, log } = options;
  if (uri) return await givenMongo(uri);
  const data = path.join(dir, 'mongo');
  const program = await findMongo(log, writerOf(data));
  await mkdir(data, { recursive: true });
  writeFileSync(`${data}.writer`, program.kind);
  const port = await freePort(options.port);
  const part = new OwnPart({
    name: 'mongo',
    how: program.how,
    command: program.command,
    args: [...program.args, ...flags(program, data, port, options.durable)],
    cwd: dir,
    // of secantusd: without a flush to the disk every minute
    ...(options.durable ? {} : { env: { ...environment, SECANTUS_CHECKPOINT_SECONDS: '0' } }),
    output: path.join(dir, 'logs', 'mongo.log'),
    pidFile: path.join(dir, 'mongo.pid'),
    ready: () => mongoReady(port),
    graceMs: 15_000,
    log,
  });
  await part.start();
  return { part, uri: uriAt(port), name: `${program.kind} ${program.version}` };
}

async function givenMongo(uri: string): Promise<StartedMongo> {
  let name = '';
  await waitUntil(async () => void (name = await askMongoName(uri)), 5_000).catch((error: Error) => {
    throw new Error(`nothing answers at MONGODB_URI: ${error.message}`);
  });
  return { part: givenPart('mongo'), uri, name };
}

// Without a flush at commit, kill -9 would lose acknowledged records; mongod flushes by itself.
function flags(program: Program, data: string, port: number, durable: boolean): string[] {
  if (program.kind === 'mongod') {
    return ['--dbpath', data, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--quiet', ...REPLICA_SET_FLAGS];
  }
  const withoutJournal = program.kind === 'secantusd-py' ? ['--without-journal'] : [];
  return [
    '--host',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--storage-path',
    data,
    '--log-level',
    'WARNING',
    ...(durable ? ['--sync-on-commit'] : withoutJournal),
  ];
}

function writerOf(data: string): string | undefined {
  const file = `${data}.writer`;
  return existsSync(data) && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function uriAt(port: number): string {
  return `mongodb://127.0.0.1:${port}/gdx?directConnection=true`;
}
