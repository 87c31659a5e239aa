import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startMongoIn } from '../../setup/start-own-mongo';
import type { StartedMongo } from '../../../tools/local/start-mongo';

let dir: string;
let mongo: StartedMongo;
let client: MongoClient;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'gdx-secantusd-py-'));
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
