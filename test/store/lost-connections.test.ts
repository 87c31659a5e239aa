import { once } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import utils = require('mongodb/lib/utils.js');
import { endLostWrites } from '../../store/end-lost-writes';
import { slowTest } from '../setup/cases';
import { newDatabaseUri } from '../setup/open-store';
import { connectStoreAt } from '../setup/open-store-at';
import { startStrictWire } from '../strict/strict-wire';
import { serveHere } from '../setup/serve-here';

const SLOW_MS = 100;
// The driver looks at a server twice a second at most; only then does it look at once.
const LOOK_MS = 600;

// Which connection says first that it is closed is a matter of chance; where the driver's own is the last one, it stood still.
slowTest('a process finds MongoDB again each time that all its connections have ended at once', async () => {
  const upstream = new URL(newDatabaseUri()).host;
  const wire = await startStrictWire({ upstream, moreMs: { find: SLOW_MS } });
  const store = await connectStoreAt(`${wire.uri}lost?`, { asInProduction: true });
  const find = () =>
    store.db
      .collection('things')
      .findOne({})
      .then(
        () => 'found',
        (error: Error) => error.message,
      );
  await find();
  for (let round = 0; round < 3; round++) {
    await setTimeout(LOOK_MS);
    const open = Array.from({ length: 8 }, find);
    await setTimeout(SLOW_MS / 2);
    wire.cutOff();
    await Promise.all(open);
    expect([round, await find()]).toEqual([round, 'found']);
  }
});

describe('a write that has to wait', () => {
  let server: net.Server;
  let socket: net.Socket;
  beforeEach(async () => {
    endLostWrites();
    server = net.createServer((other) => other.on('error', () => undefined));
    const { port } = await serveHere(server);
    socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
  });
  afterEach(() => {
    socket.destroy();
    server.close();
  });

  const drained = () =>
    utils.once(socket, 'drain', {}).then(
      () => 'drained',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  const LOST = 'MongoNetworkError: the connection was closed before a command was written to it';

  test('ends when the socket has drained, and leaves no listener', async () => {
    const before = socket.eventNames().map((name) => [name, socket.listenerCount(name)]);
    const waiting = drained();
    socket.emit('drain');
    expect(await waiting).toBe('drained');
    expect(socket.eventNames().map((name) => [name, socket.listenerCount(name)])).toEqual(before);
  });

  test('fails when the connection is closed meanwhile', async () => {
    const waiting = drained();
    socket.destroy();
    expect(await waiting).toBe(LOST);
  });

  test('fails at once where the connection is closed already', async () => {
    socket.destroy();
    await once(socket, 'close');
    expect(await drained()).toBe(LOST);
  });

  test('fails with the error of the socket where it has one', async () => {
    const waiting = drained();
    socket.destroy(new Error('reset by peer'));
    expect(await waiting).toBe('Error: reset by peer');
  });
});
