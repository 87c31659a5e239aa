import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { closeStore, connectStore } from '../../store/connect';
import { addIntegration } from '../../store/integrations';
import { eventually } from '../setup/eventually';
import { newDatabaseUri, SECRET_KEY } from '../setup/open-store';
import { accounts, pushOf } from './start-api';

const ROOT = path.join(__dirname, '..', '..');
const children: ChildProcess[] = [];

afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

/** The API's own process; resolves when it has written a line that says so. */
async function startProcess(env: Record<string, string>, until: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: '0', TEMPORAL_ADDRESS: '127.0.0.1:1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let port = 0;
  for await (const text of createInterface(child.stdout!)) {
    const line = JSON.parse(text) as { msg: string; address: AddressInfo };
    if (line.msg === 'listening') port = line.address.port;
    if (line.msg === until) break;
  }
  child.stdout!.resume();
  return { child, port, url: `http://127.0.0.1:${port}` };
}

/** @returns the code of the error, or that it is open */
async function connectTo(port: number): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  const opened = once(socket, 'connect').then(
    () => 'open',
    (error: NodeJS.ErrnoException) => error.code!,
  );
  return opened.finally(() => socket.destroy());
}

const statusOf = async (url: string) => (await fetch(url)).status;

test('SIGTERM: what is under way is finished, nothing new is taken, exit 0', async () => {
  const uri = newDatabaseUri();
  const { child, port, url } = await startProcess({ MONGODB_URI: uri }, 'ready');
  const store = await connectStore({ uri, secretKey: SECRET_KEY, appName: 'gdx-test' });
  const { token } = await addIntegration(store, {
    name: 'agris',
    company: { id: '42', name: 'Prairie Co-op' },
  });
  expect(await statusOf(`${url}/readyz`)).toBe(200);

  const body = JSON.stringify(pushOf(accounts(3)));
  const push = http.request(`${url}/api/v1/push`, {
    method: 'POST',
    headers: {
      ...{ authorization: token, 'content-type': 'application/json', 'content-length': body.length },
      expect: '100-continue',
    },
  });
  push.flushHeaders();
  await once(push, 'continue');
  push.write(body.slice(0, 20));
  child.kill('SIGTERM');
  await eventually(async () => expect(await connectTo(port)).toBe('ECONNREFUSED'));
  push.end(body.slice(20));
  const [answer] = (await once(push, 'response')) as [http.IncomingMessage];
  answer.resume();

  const [code] = (await once(child, 'exit')) as [number];
  const stored = await store.db.collection('accounts').countDocuments();
  await closeStore(store);
  expect([answer.statusCode, answer.headers.connection, stored, code]).toEqual([204, 'close', 3, 0]);
});

test('without MongoDB it starts, is alive and not ready, and stops', async () => {
  const { child, url } = await startProcess({ MONGODB_URI: 'mongodb://127.0.0.1:1/gdx' }, 'listening');
  expect(await statusOf(`${url}/livez`)).toBe(200);
  expect(await statusOf(`${url}/readyz`)).toBe(503);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a wrong setting is named, and the exit code says so', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, MONGODB_URI: 'http://elsewhere' },
  });
  children.push(child);
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  expect(await once(child, 'close')).toEqual([78, null]);
  expect(said.join('')).toContain('MONGODB_URI');
});
