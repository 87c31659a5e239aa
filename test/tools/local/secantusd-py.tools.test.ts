import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Long, MongoClient, UUID } from 'mongodb';
import { startMongoIn } from '../../setup/start-own-mongo';
import { checkout } from '../../../tools/local/checkout';
import { pythonPackages } from '../../../tools/local/python-packages';
import type { StartedMongo } from '../../../tools/local/start-mongo';

let dir: string;
let mongo: StartedMongo;
let client: MongoClient;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'gdx-secantusd-py-'));
  await mkdir(path.join(dir, 'mongo')); // data are opened by the program that wrote them
  await writeFile(path.join(dir, 'mongo.writer'), 'secantusd-py');
  mongo = await startMongoIn(dir, { durable: false });
  client = new MongoClient(mongo.uri);
}, 300_000); // fetched from PyPI where it is not there
afterAll(async () => {
  await client.close(true);
  await mongo.part.kill();
  await rm(dir, { recursive: true, force: true });
});

test('a transaction commits while statements of others wait for its records', async () => {
  const held = client.db('test').collection<{ _id: string; by?: string }>('held');
  await held.insertMany([{ _id: 'first' }, { _id: 'second' }]);
  const begin = (by: string) => {
    const session = client.startSession();
    session.startTransaction();
    return { session, set: (_id: string) => held.updateOne({ _id }, { $set: { by } }, { session }) };
  };
  const holder = begin('holder');
  await holder.set('first');
  const plain = held.updateMany({ _id: 'first' }, { $set: { by: 'plain' } });
  await setTimeout(100);
  const [waiter, other] = [begin('waiter'), begin('other')];
  const waiting = waiter.set('second').then(() => waiter.session.commitTransaction());
  await setTimeout(100);
  const beginning = other.set('second').finally(() => other.session.abortTransaction());
  await setTimeout(100);
  await holder.session.commitTransaction();
  await Promise.allSettled([plain, waiting, beginning]);
  expect(await held.findOne({ _id: 'first' })).toEqual({ _id: 'first', by: 'plain' });
}, 20_000);

test('a collection is dropped once no transaction holds its records, and everybody else is answered meanwhile', async () => {
  const records = client.db('dropped').collection<{ _id: string; by?: string }>('records');
  await records.insertOne({ _id: 'held' });
  const session = client.startSession();
  session.startTransaction();
  await records.updateOne({ _id: 'held' }, { $set: { by: 'holder' } }, { session });
  const drop = records.drop();
  await setTimeout(100);
  const other = new MongoClient(mongo.uri, { socketTimeoutMS: 5_000, retryWrites: false });
  await other.db('other').collection('records').insertOne({});
  await other.close();
  await session.commitTransaction();
  await drop;
  await session.endSession();
  expect(await records.countDocuments()).toBe(0);
}, 20_000);

test('what a killed process has left open ends after a minute, though nobody begins a transaction', async () => {
  const left = client.db('left').collection<{ _id: string; by?: string }>('records');
  await left.insertOne({ _id: 'held' });
  const killed = `
    const client = new (require('mongodb').MongoClient)('${mongo.uri}');
    const session = client.startSession();
    session.startTransaction();
    client.db('left').collection('records').updateOne({ _id: 'held' }, { $set: { by: 'killed' } }, { session })
      .then(() => process.kill(process.pid, 'SIGKILL'));`;
  const ended = promisify(execFile)(process.execPath, ['-e', killed], { cwd: checkout });
  await expect(ended).rejects.toMatchObject({ signal: 'SIGKILL' });
  const began = performance.now();
  await client.db('left').dropDatabase();
  expect(performance.now() - began).toBeGreaterThan(50_000);
}, 70_000);

test('records are written as fast where many were deleted', async () => {
  const records = client.db('a').collection<{ _id: string; position: number }>('records');
  await records.createIndex({ position: 1 }, { unique: true });
  const session = client.startSession();
  session.startTransaction();
  await records.findOne({}, { session }); // what was deleted since is kept for it
  const times = [];
  for (let round = 0; round < 4; round++) {
    const started = performance.now();
    await records.insertMany(Array.from({ length: 5_000 }, (_, at) => ({ _id: `${at}`, position: at })));
    times.push(performance.now() - started);
    await expect(records.insertOne({ _id: 'another', position: 4_999 })).rejects.toThrow(/E11000/);
    await records.deleteMany({});
  }
  await session.endSession();
  expect(Math.max(...times)).toBeLessThan(3 * times[0]! + 500);
}, 120_000);

test('a record keeps its own unique value, and takes none of another, deleted ones aside', async () => {
  const records = client.db('unique').collection<{ _id: string; position: number; at?: number }>('records');
  await records.createIndex({ position: 1 }, { unique: true });
  await records.insertMany([1, 2, 3].map((position) => ({ _id: `${position}`, position })));
  await records.deleteOne({ _id: '3' });
  await records.updateOne({ _id: '2' }, { $set: { position: 2, at: 1 } });
  await expect(records.updateOne({ _id: '2' }, { $set: { position: 1 } })).rejects.toThrow(/E11000/);
  await records.updateOne({ _id: '2' }, { $set: { position: 3 } });
  await records.insertOne({ _id: '4', position: 2 });
  const kept = await records.find({}, { sort: { position: 1 }, projection: { at: 0 } }).toArray();
  expect(kept.map(({ _id, position }) => [_id, position])).toEqual([
    ['1', 1],
    ['4', 2],
    ['2', 3],
  ]);
}, 20_000);

test('data that nobody reads after a crash has no journal, at whose ends writers would wait for the disk', async () => {
  await client.db('test').collection('held').insertOne({ at: new Date() });
  const files = await readdir(path.join(dir, 'mongo'));
  expect(files).toContain('WiredTiger.wt');
  expect(files.filter((file) => file.includes('Log'))).toEqual([]);
});

test('a write that is sent again is not done again, and the oldest answers are forgotten first', async () => {
  const db = client.db('test');
  const lsid = { id: new UUID() };
  await db.collection<{ _id: string }>('counts').insertOne({ _id: 'all' });
  const add = (number: number) =>
    db.command({
      update: 'counts',
      updates: [{ q: { _id: 'all' }, u: { $inc: { count: 1 } } }],
      lsid,
      txnNumber: Long.fromNumber(number),
    });
  for (let number = 1; number <= 10_001; number++) await add(number);
  await add(10_001);
  await add(2);
  expect(await db.collection('counts').findOne()).toMatchObject({ count: 10_001 });
  await add(1);
  expect(await db.collection('counts').findOne()).toMatchObject({ count: 10_002 });
}, 120_000);

test('keys of tables are packed as WiredTiger packs them', async () => {
  const paths = [await pythonPackages(console.log), path.join(checkout, 'tools/local')];
  const env = { ...process.env, PYTHONPATH: paths.join(path.delimiter) };
  await promisify(execFile)('python3', [path.join(__dirname, 'wiredtiger_columns_test.py')], { env });
}, 60_000);

test('findAndModify of one record reads no other, as updateOne by _id', async () => {
  const records = client.db('modified').collection<{ _id: string; token: string; count: number }>('records');
  await records.createIndex({ token: 1 }, { unique: true });
  await records.insertMany(
    Array.from({ length: 5_000 }, (_, at) => ({ _id: `${at}`, token: `t${at}`, count: 0 })),
  );
  const timed = async (write: (at: number) => Promise<unknown>) => {
    const began = performance.now();
    for (let at = 0; at < 40; at++) await write(at);
    return performance.now() - began;
  };
  const add = { $inc: { count: 1 } };
  const updated = await timed((at) => records.updateOne({ _id: `${at}` }, add));
  const modified = await timed((at) => records.findOneAndUpdate({ token: `t${at}`, count: 1 }, add));
  expect(await records.countDocuments({ count: 2 })).toBe(40);
  expect(modified).toBeLessThan(6 * updated + 500); // reading 5,000 records takes 100 ms and more, forty times
}, 60_000);

test('an index counts from the moment it is there, and no longer when it is gone', async () => {
  const records = client.db('indexed').collection<{ _id: string; tags?: string | string[] }>('records');
  const stageOf = async (tags: string) =>
    JSON.stringify((await records.find({ tags }).explain('queryPlanner')).queryPlanner.winningPlan);
  await records.insertMany([
    { _id: 'a', tags: 'x' },
    { _id: 'b', tags: 'y' },
  ]);
  await setTimeout(1_100); // what was read of the indexes is kept from now on
  expect(await stageOf('x')).not.toContain('tags_1');
  await records.createIndex({ tags: 1 }, { unique: true });
  await expect(records.insertOne({ _id: 'c', tags: 'x' })).rejects.toThrow(/E11000/);
  expect(await stageOf('x')).toContain('tags_1');
  await setTimeout(1_100);
  await records.findOne({ tags: 'x' });
  await records.insertOne({ _id: 'd', tags: ['v', 'w'] }); // the index holds several entries of a record from now on
  expect(await records.findOne({ tags: 'w' })).toMatchObject({ _id: 'd' });
  await setTimeout(1_100);
  await records.findOne({ tags: 'x' });
  await records.dropIndex('tags_1');
  await records.insertOne({ _id: 'c', tags: 'x' });
  expect(await records.countDocuments({ tags: 'x' })).toBe(2);
  await setTimeout(1_100);
  await records.findOne({ tags: 'x' });
  await client.db('indexed').dropDatabase();
  await records.createIndex({ tags: 1 }, { unique: true });
  await records.insertOne({ _id: 'a', tags: 'x' });
  await expect(records.insertOne({ _id: 'b', tags: 'x' })).rejects.toThrow(/E11000/);
}, 30_000);
