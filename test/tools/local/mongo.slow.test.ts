import { createServer, type Server } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../../../tools/local/free-port';
import { identityOf, isAlive } from '../../../tools/local/process-birth';
import { type StartedMongo, startMongo } from '../../../tools/local/start-mongo';
import { temporaryFolder } from '../../setup/temporary-folder';

const dir = temporaryFolder('mongo');
const pidFile = path.join(dir, 'mongo.pid');
const lines: string[] = [];
let mongo: StartedMongo;

beforeAll(async () => {
  mkdirSync(path.join(dir, 'logs'));
  mongo = await start(0);
});
afterAll(() => mongo.part.kill());

const start = (port: number) =>
  startMongo({ dir, uri: undefined, port, durable: true, log: (line) => lines.push(line) });

async function withTickets<T>(
  uri: string,
  use: (tickets: ReturnType<typeof ticketsOf>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await use(ticketsOf(client));
  } finally {
    await client.close();
  }
}

const ticketsOf = (client: MongoClient) =>
  client.db().collection<{ _id: number }>('tickets', { writeConcern: { w: 'majority' } });
const write = (uri: string, _id: number) => withTickets(uri, (tickets) => tickets.insertOne({ _id }));
const count = (uri: string) => withTickets(uri, (tickets) => tickets.countDocuments());

test('acknowledged writes survive kill -9, on the same data and the same port', async () => {
  for (let id = 0; id < 20; id++) await write(mongo.uri, id);
  const before = mongo.part.pid;
  await mongo.part.kill();
  await mongo.part.start();
  expect(mongo.part.pid).not.toBe(before);
  expect(await count(mongo.uri)).toBe(20);
});

test('a server left by a start that died is stopped, and its data kept', async () => {
  const orphan = identityOf(mongo.part.pid!);
  rewriteOwner({ pid: 2 ** 22 + 1 });
  mongo = await start(0);
  expect(lines.at(-1)).toBe(`mongo: stopping process ${orphan.pid}, left by an earlier start`);
  expect(isAlive(orphan)).toBe(false);
  expect(await count(mongo.uri)).toBe(20);
});

test('data in use by a living process is left alone', async () => {
  rewriteOwner(identityOf(process.ppid));
  await expect(start(0)).rejects.toThrow(`mongo is in use: process ${process.ppid}`);
  expect(await count(mongo.uri)).toBe(20);
});

test('the remembered number of a process that was used again is nobody to stop', async () => {
  await mongo.part.kill();
  const bystander = { ...identityOf(process.pid), born: 'another time' };
  writeFileSync(pidFile, JSON.stringify({ ...bystander, owner: bystander }));
  await mongo.part.start();
  expect(await count(mongo.uri)).toBe(20);
});

test('a server that cannot start says why', async () => {
  await mongo.part.kill();
  const inTheWay = await listen(Number(new URL(mongo.uri).port));
  await expect(mongo.part.start()).rejects.toThrow(/mongo did not start: exit code \d+; .*mongo\.log ends:/);
  await new Promise((resolve) => inTheWay.close(resolve));
});

test('another port is taken when the usual one is not free', async () => {
  const server = await listen(0);
  const taken = (server.address() as { port: number }).port;
  expect(await freePort(taken)).not.toBe(taken);
  await new Promise((resolve) => server.close(resolve));
  expect(await freePort(taken)).toBe(taken);
});

function rewriteOwner(owner: object): void {
  writeFileSync(pidFile, JSON.stringify({ ...JSON.parse(readFileSync(pidFile, 'utf8')), owner }));
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1', () =>
      resolve(server),
    );
  });
}
