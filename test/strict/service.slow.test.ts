import { setTimeout } from 'node:timers/promises';
import { accounts, channelKey, integrationToken, pushOf, startApi } from '../api/start-api';
import { databaseUri } from '../bench/open-bench-store';
import { openStoreAt } from '../setup/open-store-at';
import { startNode } from '../setup/processes';
import { startStrictWire } from './strict-wire';

/** In the place of a status. */
const CUT_OFF = 0;

const upstream = new URL(process.env['MONGODB_URI']!).host;

/** The API in front of a MongoDB as mongod would be, with twelve accounts and a channel. */
async function openScene() {
  const wire = await startStrictWire({ upstream });
  const database = `${process.env['GDX_TEST_RUN']}_strict_${Date.now()}`;
  const store = await openStoreAt(databaseUri(wire.uri, database), { asInProduction: true });
  const api = await startApi({ store });
  const token = await integrationToken(store);
  const key = await channelKey(store, 'acme', { page_size: 10 });
  const push = (first: number) =>
    api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(12, first)) });
  const since = new Date(Date.now() - 60_000).toISOString();
  await push(1001);
  const channel = (method: string, path: string, body?: unknown) =>
    api.ask(method, `/api/v1/channels/acme${path}`, { token: key, body });
  const calls = {
    reset: () => channel('POST', '/markers/accounts/reset', { timestamp: since }),
    digest: () => channel('GET', '/digest?entity_type=accounts'),
    unchanged: () => push(1001),
    changed: () => push(2001 + 12 * ++pushed),
    markers: () => channel('GET', '/markers'),
  };
  let pushed = 0;
  return { wire, api, store, calls, token, uri: databaseUri(wire.uri, database) };
}

test('while the primary steps down, each request is done or is told to come again', async () => {
  const { wire, api, calls } = await openScene();
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  for (let round = 0; round < 8; round++) {
    let isOver = false;
    const asking = Object.entries(calls).map(async ([name, call]) => {
      while (!isOver) {
        const { status, text } = await call().catch((error: Error) => ({
          status: CUT_OFF,
          text: error.message,
        }));
        counts[`${name} ${status}`] = (counts[`${name} ${status}`] ?? 0) + 1;
        const isFine = status === 503 || (status >= 200 && status < 300);
        // A digest is streamed: what fails once it has begun closes its connection (docs/customer.md).
        if (!isFine && !(name === 'digest' && status === CUT_OFF)) wrong.push(`${name} ${status} ${text}`);
      }
    });
    await setTimeout(100);
    await wire.stepDown({ ms: 700, within: round % 2 === 0, staleMs: round % 4 < 2 ? 0 : 300 });
    isOver = true;
    await Promise.all(asking);
  }
  const errors = api.lines.filter(({ level }) => Number(level) >= 50);
  expect(wrong).toEqual([]);
  expect(errors).toHaveLength(counts[`digest ${CUT_OFF}`] ?? 0);
  for (const name of Object.keys(calls))
    expect(Object.keys(counts).filter((one) => one.startsWith(name))).not.toEqual([]);
  for (const call of Object.values(calls)) expect((await call()).status).toBeLessThan(300);
});

test.each(['plan', 'time'] as const)(
  'a read whose %s MongoDB ends is answered 503, and not as a defect',
  async (what) => {
    const { wire, api, calls } = await openScene();
    wire.next(what);
    const { status } = await calls.markers();
    const errors = api.lines.filter(({ level }) => Number(level) >= 50);
    expect([status, errors]).toEqual([503, []]);
    expect((await calls.markers()).status).toBe(200);
  },
);

test('a commit whose answer is lost is stored once, and answered', async () => {
  const { wire, calls, store } = await openScene();
  wire.next('commit', 1);
  expect((await calls.changed()).status).toBe(204);
  expect(await store.db.collection('accounts').countDocuments()).toBe(24);
});

test('a process that is killed within its transaction, and one that falls silent, hold up no push until MongoDB ends them', async () => {
  const { api, uri, token } = await openScene();
  const holding = (type: string) =>
    startNode(['--import', 'tsx', 'test/strict/holding-process.ts', uri, type], process.env);
  const killed = holding('accounts');
  const silent = holding('tickets');
  for (const each of [killed, silent]) await each.heard('holding');
  await killed.end('SIGKILL');
  silent.child.kill('SIGSTOP');
  const began = performance.now();
  const body = {
    data: [
      ...pushOf(accounts(1, 5001)).data,
      { 'update-tickets': { tickets: [{ id: '1', account_id: '5001' }] } },
    ],
  };
  const { status, text } = await api.ask('POST', '/api/v1/push', { token, body });
  expect([status, text]).toEqual([204, '']); // MongoDB itself ends them after 60 s
  console.log(`waited ${Math.round(performance.now() - began)} ms`);

  silent.lines.length = 0;
  silent.child.kill('SIGCONT');
  silent.child.stdin.write('\n');
  await silent.heard('holding'); // again: what it had was taken back
  silent.child.stdin.write('\n');
  await silent.heard('committed');
});
