import { type Db, type Document, Long, MongoClient, MongoServerError, Timestamp } from 'mongodb';
import net from 'node:net';
import { once } from 'node:events';
import { endDeadTransactions } from '../../store/end-dead-transactions';
import { LAGS } from './lagging-majority';
import { LIMITS, PROTOCOL_ERROR, RULES } from './rules';
import { messageReader, write } from './op-msg';
import { startStrictWire, type StrictWire } from './strict-wire';
import { slowTest } from '../setup/cases';
import { closeAtEnd } from '../setup/close-at-end';

const upstream = new URL(process.env['MONGODB_URI']!).host;
const TRANSACTION_LIMIT_MS = 200;

async function through(without: string[] = []): Promise<{ wire: StrictWire; db: Db; client: MongoClient }> {
  const wire = await startStrictWire({ upstream, without, transactionLimitMs: TRANSACTION_LIMIT_MS });
  const client = new MongoClient(wire.uri, { heartbeatFrequencyMS: 500 });
  closeAtEnd(() => client.close(true));
  const db = client.db(`${process.env['GDX_TEST_RUN']}_strict`);
  return { wire, client, db };
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return error instanceof MongoServerError ? error.code : error;
  }
};

type Act = (db: Db, client: MongoClient, wire: StrictWire) => Promise<unknown>;

const find = { find: 'things', filter: {} };

const BREAKING: Record<string, Act> = {
  linearizableWithATime: (db) =>
    db.command({
      ...find,
      readConcern: { level: 'linearizable', afterClusterTime: new Timestamp({ t: 1, i: 1 }) },
    }),
  readConcernLaterInATransaction: (db, client) =>
    client.withSession(async (session) => {
      session.startTransaction();
      await db.collection('things').findOne({}, { session });
      const { id: lsid } = session;
      const { serverSession } = session as unknown as { serverSession: { txnNumber: number } };
      const txnNumber = Long.fromNumber(serverSession.txnNumber);
      const later = { ...find, lsid, txnNumber, autocommit: false, readConcern: { level: 'majority' } };
      const code = await codeOf(db.command(later));
      await session.abortTransaction();
      if (code !== 'ok') throw new MongoServerError({ code: code as number });
    }),
  currentOpReadsLocally: (_, client) =>
    client
      .db('admin')
      .aggregate([{ $currentOp: {} }, { $match: { type: 'op', appName: { $regex: '' } } }], {
        readConcern: { level: 'majority' },
      })
      .toArray(),
  sessionsAreKnownByAUuid: (db) => db.command({ killSessions: [{ id: Buffer.alloc(16) }] }),
  transactionTooOld: (db, client) =>
    client.withSession(async (session) => {
      session.startTransaction();
      await db.collection('things').insertOne({}, { session });
      await new Promise((resolve) => void setTimeout(resolve, TRANSACTION_LIMIT_MS + 50));
      await db.collection('things').insertOne({}, { session });
    }),
  // Each document of it is small enough.
  messageTooLarge: async (_, __, { address }) => {
    const [host, port] = address.split(':');
    const socket = net.connect(Number(port), host).on('error', () => undefined);
    socket.end(insertOf(3, LIMITS.maxMessageSizeBytes / 3)).resume();
    await once(socket, 'close');
    throw new MongoServerError({ code: PROTOCOL_ERROR });
  },
  objectTooLarge: async (_, __, { address }) => {
    const [host, port] = address.split(':');
    const socket = net.connect(Number(port), host);
    const answered = new Promise<Document>((resolve) =>
      socket.on(
        'data',
        messageReader(({ body }) => resolve(body)),
      ),
    );
    socket.end(insertOf(1, LIMITS.maxBsonObjectSize + 2 ** 15));
    throw new MongoServerError(await answered);
  },
  documentTooLarge: (db) =>
    db.command({ insert: 'things', documents: [{ text: 'x'.repeat(LIMITS.maxBsonObjectSize) }] }),
  // The server behind the wire ends at the second of them.
  tooManyOperations: (db) =>
    db.command({
      insert: 'things',
      documents: Array(LIMITS.maxWriteBatchSize + 1).fill({ _id: 'the same' }),
    }),
};

/** An `insert` of documents of so many bytes, which say nothing. */
function insertOf(count: number, bytes: number): Buffer {
  const document = Buffer.alloc(bytes);
  document.writeInt32LE(bytes);
  const name = Buffer.from('documents\0');
  const size = Buffer.alloc(4);
  size.writeInt32LE(4 + name.length + count * bytes);
  const command = write({ insert: 'things', $db: 'strict' });
  const documents = Array.from({ length: count }, () => document);
  const message = Buffer.concat([command, Buffer.from([1]), size, name, ...documents]);
  message.writeInt32LE(message.length);
  return message;
}

describe.each(Object.keys(RULES))('%s', (name) => {
  slowTest('is as mongod has it, and left out is noticed', async () => {
    const act = BREAKING[name]!;
    const strict = await through();
    const code = await codeOf(act(strict.db, strict.client, strict.wire));
    expect(code).toBe(strict.wire.refused.at(-1)?.refusal.code);
    const kind = await through([name]);
    await codeOf(act(kind.db, kind.client, kind.wire));
    // What is too large by one rule may be by another.
    expect(kind.wire.refused.map(({ refusal }) => refusal.code)).not.toContain(code);
  });
});

const OLD = { readConcern: { level: 'majority' } } as const;

/** Whether a read of what a majority has sees what was written before it. */
const SEEING: Record<keyof typeof LAGS, { act: Act; sees: boolean }> = {
  majorityReadsAreOld: {
    async act(db) {
      await db.collection('things').insertOne({ now: 1 }, { writeConcern: { w: 1 } });
      return db.collection('things').findOne({ now: 1 }, OLD);
    },
    sees: false,
  },
  majorityWritesWait: {
    async act(db) {
      await db.collection('things').insertOne({ now: 1 }, { writeConcern: { w: 'majority' } });
      return db.collection('things').findOne({ now: 1 }, OLD);
    },
    sees: true,
  },
  linearizableReadsWait: {
    async act(db) {
      await db.collection('things').insertOne({ now: 1 }, { writeConcern: { w: 1 } });
      await db.command({ ...find, readConcern: { level: 'linearizable' } });
      return db.collection('things').findOne({ now: 1 }, OLD);
    },
    sees: true,
  },
  causalSessionsWait: {
    act: (db, client) =>
      client.withSession({ causalConsistency: true }, async (session) => {
        await db.collection('things').insertOne({ now: 1 }, { session, writeConcern: { w: 1 } });
        return db.collection('things').findOne({ now: 1 }, { session, ...OLD });
      }),
    sees: true,
  },
};

describe.each(Object.keys(LAGS) as (keyof typeof LAGS)[])('while a majority lags, %s', (name) => {
  slowTest('is as mongod has it, and left out is noticed', async () => {
    const { act, sees } = SEEING[name];
    const seen = [];
    for (const without of [[], [name]]) {
      const { wire, client, db } = await through(without);
      await db.collection('things').deleteMany({});
      await wire.lag(300);
      seen.push((await act(db, client, wire)) !== null);
      await wire.lag(0);
    }
    expect(seen).toEqual([sees, !sees]);
  });
});

slowTest('a cursor of what a majority has stays in its time', async () => {
  const { wire, db } = await through();
  const things = db.collection('things');
  await things.deleteMany({});
  await things.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
  await wire.lag(50);
  const cursor = things.find({}, { batchSize: 2, sort: { n: 1 }, ...OLD });
  const [first] = [await cursor.next()];
  await things.updateMany({}, { $set: { n: 9 } }, { writeConcern: { w: 'majority' } });
  await wire.lag(0);
  const rest = await cursor.toArray();
  expect([first, ...rest].map((one) => one?.['n'])).toEqual([1, 2, 3]);
  expect(await things.countDocuments({ n: 9 })).toBe(3);
});

slowTest('a deposed primary shows what a majority had, and neither proves itself nor writes', async () => {
  const { wire, db } = await through();
  const things = db.collection('things');
  await things.deleteMany({});
  const over = wire.deposed(500);
  const direct = new MongoClient(`mongodb://${upstream}/`, { directConnection: true });
  closeAtEnd(() => direct.close(true));
  await direct.db(db.databaseName).collection<Document>('things').insertOne({ by: 'the other' });
  const proof = codeOf(db.command({ ...find, readConcern: { level: 'linearizable' } }));
  const late = codeOf(db.command({ ...find, maxTimeMS: 100, readConcern: { level: 'linearizable' } }));
  expect(await things.findOne({ by: 'the other' }, OLD)).toBeNull();
  expect(await late).toBe(50);
  await over;
  expect(await proof).toBe(11602);
  expect(await things.findOne({ by: 'the other' }, OLD)).not.toBeNull();
});

test.each([
  ['ends a transaction that comes', [], 24],
  ['left out is noticed', ['indexBuildInTheWay'], 'ok'],
] as const)('an index build that has the lock %s, and others wait', async (_, without, code) => {
  const { wire, db, client } = await through([...without]);
  await db.collection('things').insertOne({});
  let isHeld = true;
  const over = wire.holdLock('things', 300).then(() => void (isHeld = false));
  const inTransaction = client.withSession(async (session) => {
    session.startTransaction();
    return codeOf(db.collection('things').insertOne({}, { session }));
  });
  expect(await inTransaction).toBe(code);
  await db.collection('things').findOne();
  expect(isHeld).toBe(false);
  await over;
});

slowTest(
  'a primary that steps down refuses what comes, and the driver goes on with the next one',
  async () => {
    const { wire, db } = await through();
    await db.collection('things').insertOne({ before: true });
    const over = wire.stepDown({ ms: 700 });
    const raw = await codeOf(db.command(find)); // the driver repeats no such command
    const later = codeOf(db.collection('things').insertOne({ after: true }));
    await over;
    expect([raw, await later]).toEqual([13435, 'ok']);
  },
);

describe('a transaction that is in the way', () => {
  afterEach(() => jest.restoreAllMocks());

  /** Whether it is still open after looks 2 s apart, with what happens between them. */
  async function looked(appName: string, between: readonly ('a command' | 'nothing')[]): Promise<boolean> {
    const { wire, client } = await through(['transactionTooOld']);
    const holder = new MongoClient(wire.uri, { appName });
    closeAtEnd(() => holder.close(true));
    const things = holder.db(`${process.env['GDX_TEST_RUN']}_strict`).collection('things');
    const session = holder.startSession();
    session.startTransaction();
    await things.insertOne({}, { session });
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const look = endDeadTransactions(client);
    for (const what of ['nothing', ...between]) {
      if (what === 'a command') await things.insertOne({}, { session });
      now.mockReturnValue(performance.now() + 2_000);
      await look();
    }
    now.mockRestore();
    const code = await codeOf(session.commitTransaction());
    expect(['ok', 251]).toContain(code);
    return code === 'ok';
  }

  test.each([
    ['of a process that is gone is ended', false, 'gdx-api', ['nothing']],
    ['of a process that goes on stays', true, 'gdx-api', ['a command', 'a command']],
    ['of another service stays', true, 'ledger', ['nothing', 'nothing']],
  ] as const)('%s', async (_, isOpen, appName, between) => {
    expect(await looked(appName, between)).toBe(isOpen);
  });
});

test('one that steps down within a transaction ends it', async () => {
  const { wire, db, client } = await through();
  const session = client.startSession();
  session.startTransaction();
  await db.collection('things').insertOne({ of: 'the transaction' }, { session });
  await wire.stepDown({ ms: 300 });
  const code = await codeOf(db.collection('things').insertOne({}, { session }));
  await session.endSession();
  expect(code).toBe(251);
  expect(await db.collection('things').countDocuments({ of: 'the transaction' })).toBe(0);
});

test.each([
  ['cursor', 43, (db: Db) => db.collection('many').find({}, { batchSize: 2 }).toArray()],
  ['plan', 175, (db: Db) => db.collection('many').find().toArray()],
  ['time', 50, (db: Db) => db.collection('many').find({}, { maxTimeMS: 1_000 }).toArray()],
] as const)('the next %s fails with %i, and the one after it does not', async (what, code, read) => {
  const { wire, db } = await through();
  await db.collection('many').insertMany([{}, {}, {}]);
  wire.next(what);
  expect([await codeOf(read(db)), await codeOf(read(db))]).toEqual([code, 'ok']);
});
