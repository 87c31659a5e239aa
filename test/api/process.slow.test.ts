import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { closeStore } from '../../store/connect';
import { addIntegration } from '../../store/callers/integrations';
import { findChannel } from '../../store/channels/channels';
import { subscriptions } from '../../store/consent/subscriptions';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { newDatabaseUri, openStore } from '../setup/open-store';
import { SECRET_KEY } from '../setup/open-store-at';
import { runNode, startService } from '../setup/processes';
import { grantAccounts } from '../setup/share-accounts';
import { freePort } from '../../tools/local/free-port';
import { accounts, pushOf } from './start-api';
import { connectStoreAt } from '../setup/open-store-at';

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
  const { child, ended, url } = await startService('api', { MONGODB_URI: uri });
  const store = await connectStoreAt(uri);
  const { token } = await addIntegration(store, {
    name: 'agris',
    company: { id: '42', name: 'Prairie Co-op' },
  });
  expect(await statusOf(`${url}/readyz`)).toBe(200);

  const body = JSON.stringify(pushOf(accounts(3)));
  const push = http.request(`${url}/api/v1/push`, {
    method: 'POST',
    headers: {
      authorization: token,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  push.flushHeaders();
  await once(push, 'continue');
  push.write(body.slice(0, 20));
  child.kill('SIGTERM');
  await eventually(async () => expect(await connectTo(Number(new URL(url).port))).toBe('ECONNREFUSED'));
  push.end(body.slice(20));
  const [answer] = (await once(push, 'response')) as [http.IncomingMessage];
  answer.resume();

  const code = await ended;
  const stored = await store.db.collection('accounts').countDocuments();
  await closeStore(store);
  expect([answer.statusCode, answer.headers.connection, stored, code]).toEqual([204, 'close', 3, 0]);
});

test('without MongoDB it starts, is alive and not ready, and stops', async () => {
  const away = { MONGODB_URI: 'mongodb://127.0.0.1:1/gdx' };
  const { end, url } = await startService('api', away, 'listening');
  expect(await statusOf(`${url}/livez`)).toBe(200);
  expect(await statusOf(`${url}/readyz`)).toBe(503);
  expect(await end()).toBe(0);
});

test('a wrong setting is named, and the exit code says so', async () => {
  const env = { PATH: process.env.PATH, MONGODB_URI: 'http://elsewhere' };
  const { code, err } = await runNode(['dist/api/main.js'], env);
  expect([code, err]).toEqual([78, expect.stringContaining('MONGODB_URI')]);
});

test('in production it takes no token of elsewhere, opens what the key before has sealed, and ends grants that are over', async () => {
  const uri = newDatabaseUri();
  const store = await openStore(uri);
  const company = { id: '42', name: 'Prairie Co-op' };
  const tokens = [{ ...store, production: true }, store].map((from) =>
    addIntegration(from, { name: 'agris', company }),
  );
  await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
  const key = { farmer: 'f1', channel: 'acme', partner_id: 'P', account: '42-1' };
  await grantAccounts(store, (await findChannel(store, 'acme'))!, [key]);
  await subscriptions(store).updateMany({}, { $set: { ends_at: new Date(Date.now() - 60_000) } });
  const opsPort = await freePort();
  const { end, url } = await startService('api', {
    NODE_ENV: 'production',
    MONGODB_URI: uri,
    GDX_CLOSED_NETWORK: 'of a test',
    GDX_SECRET_KEY: randomBytes(32).toString('hex'),
    GDX_SECRET_KEY_OLD: SECRET_KEY.toString('base64'),
    GDX_CUSTOMER_SECRETS_PUBLIC_KEY: DEVELOPMENT_CUSTOMER_KEYS.publicKey.toString('base64'),
    GDX_PUBLIC_URL: 'https://gdx.example',
    GDX_SMS_PROVIDER: 'webhook',
    GDX_SMS_WEBHOOK_URL: 'https://texts.example',
    GDX_OPS_PORT: String(opsPort),
    GDX_OPS_URL: 'https://ops.example',
    GDX_OIDC_ISSUER: 'https://127.0.0.1:1',
    GDX_OIDC_CLIENT_ID: 'gdx',
    GDX_OIDC_CLIENT_SECRET: 'secret',
    GDX_OIDC_READ_GROUPS: 'staff',
  });
  expect(await statusOf(`${url}/ops`)).toBe(404);
  expect(await statusOf(`http://127.0.0.1:${opsPort}/ops`)).toBe(401);
  expect(await statusOf(`http://127.0.0.1:${opsPort}/ops/sign-in/provider`)).toBe(503); // nobody is at that address
  const body = JSON.stringify(pushOf(accounts(1)));
  const statuses = [];
  for (const { token } of await Promise.all(tokens)) {
    const headers = { authorization: token, 'content-type': 'application/json' };
    statuses.push((await fetch(`${url}/api/v1/push`, { method: 'POST', headers, body })).status);
  }
  expect(statuses).toEqual([204, 401]);
  const granted = () => subscriptions(store).countDocuments({ state: 'granted' });
  await eventually(async () => expect(await granted()).toBe(0), 30_000);
  expect(await end()).toBe(0);
});
