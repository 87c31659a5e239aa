import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Binary, BSON, type Document, Long, Timestamp } from 'mongodb';
import { type Message, messageReader, writeBytes } from '../strict/op-msg';
import { LIMITS, nameOf } from '../strict/rules';
import { asMongodb, explain } from './explain';
import type { PgConnection, Row } from './pg-connection';
import { ofWriteError, Refused, WRITE_CONFLICT } from './pg-errors';
import { Sessions } from './sessions';

const pageOf = (called: string) =>
  `SELECT cursorpage, continuation, persistconnection, cursorid FROM documentdb_api.${called}_cursor_first_page($1, $2)`;
const writeOf = (called: string) => `SELECT p_result FROM documentdb_api.${called}($1, $2, $4, NULL)`;

// $1: the database, $2: the command, $3: the collection, $4: the documents beside the command.
const STATEMENTS: Record<string, string> = {
  find: pageOf('find'),
  aggregate: pageOf('aggregate'),
  listCollections: pageOf('list_collections'),
  listIndexes: pageOf('list_indexes'),
  insert: writeOf('insert'),
  update: writeOf('update'),
  delete: writeOf('delete'),
  findAndModify: 'SELECT p_result FROM documentdb_api.find_and_modify($1, $2, NULL)',
  count: 'SELECT document FROM documentdb_api.count_query($1, $2)',
  distinct: 'SELECT document FROM documentdb_api.distinct_query($1, $2)',
  create: 'SELECT documentdb_api.create_collection_view($1, $2)',
  createIndexes: 'SELECT documentdb_api_internal.create_indexes_non_concurrently($1, $2, true)',
  dropIndexes: 'CALL documentdb_api.drop_indexes($1, $2)',
  collMod: 'SELECT documentdb_api.coll_mod($1, $3, $2)',
  drop: 'SELECT documentdb_api.drop_collection($1, $3)',
  dropDatabase: 'SELECT documentdb_api.drop_database($1)',
  listDatabases: 'SELECT documentdb_api.list_databases($2)',
  dbStats: 'SELECT documentdb_api.db_stats($1)',
};
const GET_MORE = 'SELECT cursorpage, continuation FROM documentdb_api.cursor_get_more($1, $2, $3::bytea)';

interface Cursor {
  continuation: Buffer;
  /** The connection that holds it; none: every one can go on with it. */
  pg: PgConnection | undefined;
}

/** Speaks MongoDB’s wire protocol in front of PostgreSQL with the extension DocumentDB. */
export async function startGateway(pgPort: number) {
  const sessions = new Sessions(pgPort);
  const cursors = new Map<string, Cursor>();
  const sockets = new Set<Socket>();

  const server = net.createServer((client) => {
    sockets.add(client.setNoDelay());
    client.on('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    let [turn, appName] = [Promise.resolve(), ''];
    client.on(
      'data',
      messageReader((message) => {
        appName = message.body['client']?.application?.name ?? appName;
        turn = turn.then(async () => {
          const answer = await answerTo(message, appName).catch((error: unknown) =>
            refusing(error, message.body),
          );
          if (!isUnanswered(message)) client.write(writeBytes(withTime(answer), message));
        });
      }),
    );
  });

  async function answerTo(message: Message, appName: string): Promise<Uint8Array | Document> {
    const { body: command } = message;
    const own = OWN[nameOf(command)];
    if (own) return (await own(command)) ?? { ok: 1 };
    if (command['pipeline']?.[0]?.$currentOp) return sessions.currentOp(command);
    return sessions.run(command, appName, async (pg) => {
      const ms = Number(command['maxTimeMS'] ?? 0);
      if (ms > 0) pg.query(`SET statement_timeout = ${ms}`).catch(() => undefined);
      try {
        return await ask(message, pg);
      } finally {
        if (ms > 0) pg.query('SET statement_timeout = 0').catch(() => undefined);
      }
    });
  }

  async function ask(
    { body: command, raw, beside }: Message,
    pg: PgConnection,
  ): Promise<Uint8Array | Document> {
    const name = nameOf(command);
    const { $db } = command;
    if (name === 'getMore') return more(command, raw, pg);
    if (name === 'explain') return asMongodb(await explain(pg, command));
    const sql = STATEMENTS[name];
    if (!sql) throw new Refused(59, 'CommandNotFound', `no such command: '${name}'`);
    const [row] = await pg.query(sql, [$db, raw, String(command[name]), beside.length > 0 ? beside : null]);
    const [found] = row!;
    if (row!.length === 4) return page(row!, command['autocommit'] === false ? undefined : pg);
    if (!found || found.length < EMPTY) return { ok: 1 };
    return sql === writeOf(name) ? written(found, command) : found;
  }

  /** @param alone the connection of a read that is in no transaction: its cursor may keep it */
  function page([found, continuation, isHeld, id]: Row, alone: PgConnection | undefined): Uint8Array {
    if (!continuation) return found!;
    const pg = isHeld![0] === 1 ? alone : undefined;
    if (pg) sessions.held.add(pg);
    cursors.set(String(id!.readBigInt64BE()), { continuation: Buffer.from(continuation), pg });
    return found!;
  }

  async function more(command: Document, raw: Buffer, pg: PgConnection): Promise<Uint8Array> {
    const id = String(command['getMore']);
    const cursor = cursors.get(id);
    if (!cursor) throw new Refused(43, 'CursorNotFound', `cursor id ${id} not found`);
    const [row] = await (cursor.pg ?? pg).query(GET_MORE, [command['$db'], raw, cursor.continuation]);
    const [found, continuation] = row!;
    if (continuation) cursor.continuation = Buffer.from(continuation);
    else close(id);
    return found!;
  }

  function close(id: string): void {
    const pg = cursors.get(id)?.pg;
    pg?.end();
    if (pg) sessions.held.delete(pg);
    cursors.delete(id);
  }

  const OWN: Record<string, (command: Document) => unknown> = {
    ping: () => undefined,
    hello: () => hello(address()),
    isMaster: () => hello(address()),
    ismaster: () => hello(address()),
    buildInfo: () => ({ version: '8.0.0', versionArray: [8, 0, 0, 0], documentdb: true, ok: 1 }),
    commitTransaction: (command) => sessions.commit(command),
    abortTransaction: ({ lsid }) => sessions.abort(lsid),
    endSessions: ({ endSessions }) =>
      Promise.all(endSessions.map((lsid: Document) => sessions.abort(lsid))).then(() => undefined),
    killSessions: ({ killSessions }) => sessions.kill(killSessions),
    killCursors: ({ cursors: ids }) => ids.forEach((id: Long) => close(String(id))),
  };

  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `mongodb://${address()}/gdx?directConnection=true`,
    stop() {
      for (const socket of sockets) socket.destroy();
      sessions.end();
      server.close();
    },
  };
}

/** A document has at least its length and its end. */
const EMPTY = 5;

/** Its client reads no answer (`moreToCome`). */
const isUnanswered = ({ bytes, isQuery }: Message) => !isQuery && (bytes.readInt32LE(16) & 2) !== 0;

const hello = (me: string): Document => ({
  isWritablePrimary: true,
  ismaster: true,
  setName: 'gdx',
  setVersion: 1,
  hosts: [me],
  primary: me,
  me,
  ...LIMITS,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
});

/** What a write did, with MongoDB’s codes. In a transaction the first one that fails ends it. */
function written(found: Buffer, { autocommit }: Document): Uint8Array | Document {
  if (!found.includes('writeErrors')) return found;
  const { writeErrors, ...done } = BSON.deserialize(found);
  const told = (writeErrors as Document[]).map(({ index, ...error }) => {
    const why = ofWriteError(error);
    if (autocommit === false) throw why;
    return { index, code: why.code, errmsg: why.message };
  });
  return { ...done, writeErrors: told };
}

const TRANSIENT = new Set([WRITE_CONFLICT, 251]);

function refusing(error: unknown, command: Document): Document {
  const { code, codeName, message } =
    error instanceof Refused ? error : new Refused(8, 'UnknownError', String(error));
  const isTransient = command['autocommit'] === false && TRANSIENT.has(code);
  return {
    ok: 0,
    code,
    codeName,
    errmsg: message,
    ...(isTransient && { errorLabels: ['TransientTransactionError'] }),
  };
}

let last = Timestamp.fromBits(0, 0);

/** Each answer tells a later time of the cluster. */
function withTime(answer: Uint8Array | Document): Buffer {
  const seconds = Math.floor(Date.now() / 1_000);
  last = new Timestamp({ t: Math.max(seconds, last.t), i: seconds > last.t ? 1 : last.i + 1 });
  const signature = { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO };
  const told = BSON.serialize({ operationTime: last, $clusterTime: { clusterTime: last, signature } });
  const document = answer instanceof Uint8Array ? answer : BSON.serialize(answer);
  const joined = Buffer.concat([document.subarray(0, -1), told.subarray(4)]);
  joined.writeInt32LE(joined.length, 0);
  return joined;
}
