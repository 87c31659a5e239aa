import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { signPage, webhookId } from '../../outbound/sign-page';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { renderPage } from '../../domain/deliveries/render-page';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import type { PushedRecord } from '../../domain/records/validate-push';
import { newSigningSecret } from '../../store/callers/tokens';
import { openSecrets } from '../../store/channels/channels';
import { checkout } from '../../tools/local/checkout';
import { startListening } from '../client/start-listening';
import { eventually } from '../setup/eventually';
import { startNode } from '../setup/processes';
import { COMPANY } from '../setup/push-records';
import { playDockerfile } from './play-dockerfile';
import { type Postgres, startPostgres } from './start-postgres';
import { stand } from '../setup/stand';

const SECRET = newSigningSecret();
const TABLES = [...ENTITY_TYPES].sort();

let postgres: Postgres;
let image: ReturnType<typeof playDockerfile>;
let url: string;

beforeAll(async () => {
  postgres = await startPostgres();
  image = playDockerfile('docs/samples/postgres-receiver/Dockerfile', path.join(checkout, 'docs/samples'));
  ({ url } = await startReceiver());
});
beforeEach(() => {
  postgres.psql(TABLES.map((table) => `DROP TABLE IF EXISTS ${table}`).join(';'));
});
afterAll(async () => {
  await postgres?.stop();
  if (image) rmSync(image.folder, { recursive: true });
});

async function startReceiver(secret = SECRET) {
  const env = { ...process.env, SIGNING_SECRET: secret, DATABASE_URL: postgres.url, PORT: '0' };
  const started = startNode(['main.mjs'], env, path.join(image.app, 'postgres-receiver'));
  const [, port] = /listening on (\d+)/.exec(await started.heard('listening on'))!;
  return { receiver: started, url: `http://127.0.0.1:${port}` };
}

const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour));
const wire = (record: PushedRecord, hour: number, type: EntityType = 'tickets') =>
  finishWire(renderRecord(type, record, COMPANY), at(1), at(hour));
const ticket = (id: string, hour: number, more: object = {}) => wire({ id, ...more }, hour);

/** What the feed shows of it. */
const shown = (bytes: Buffer) => Object.values(JSON.parse(bytes.toString()) as object)[0] as object;

function pageOf(wires: Buffer[]): Buffer {
  const count = wires.length;
  const sizes = { page_count: count, page_size: 1000, total_count: count, total_pages: 1 };
  return renderPage(wires, { current_page: 1, ...sizes });
}

interface Sending {
  secret?: string;
  headers?: Record<string, string>;
  to?: string;
  at?: Date;
  id?: string;
}

/** Signs a body as a page is signed, and posts it. @returns the status */
async function send(
  body: Buffer,
  { secret = SECRET, headers = {}, to = '/feed', at = new Date(), id }: Sending = {},
) {
  const scope = { channel: 'acme', entityType: 'tickets', generation: 0, account: undefined };
  const signed = await signPage(id ?? webhookId(scope, body), body, { signingSecrets: [secret] }, at);
  const sent = { method: 'POST', body: new Uint8Array(body), headers: { ...signed, ...headers } };
  return (await fetch(url + to, sent)).status;
}
const post = (wires: Buffer[], sending?: Sending) => send(pageOf(wires), sending);

interface Row {
  id: string;
  updated_at: string;
  deleted_at: string | null;
  record: object;
}

/** All of a table, by id. */
function rows(table: EntityType = 'tickets'): Row[] {
  const sql = `SELECT coalesce(json_agg(held ORDER BY id COLLATE "C"), '[]') FROM ${table} AS held`;
  return JSON.parse(postgres.psql(sql)) as Row[];
}
const rowOf = (bytes: Buffer): Row => {
  const record = shown(bytes) as Row;
  const { id, updated_at, deleted_at } = record;
  return { id, updated_at, deleted_at, record };
};

test('a page of each type is in its table, record by record as it was sent', async () => {
  for (const type of ENTITY_TYPES) {
    const page = ['1', '2'].map((id) => wire({ id, name: 'Süd “O’Neil” \\ 樱', weight: 52_340.5 }, 8, type));
    expect(await post(page, { headers: { 'x-entity-type': 'of another type' } })).toBe(204);
    expect(rows(type)).toEqual(page.map(rowOf));
  }
});

test('pages out of order and repeated: a row gives way to an equal or newer record, and not to an older one', async () => {
  const [old, middle, late] = [8, 9, 10].map((hour) => [ticket('1', hour, { net_weight: hour })]);
  for (const page of [middle!, late!, old!, middle!, late!]) expect(await post(page)).toBe(204);
  expect(rows()).toEqual(late!.map(rowOf));
  const same = ticket('1', 10, { net_weight: 11 });
  expect(await post([same])).toBe(204);
  expect(rows()).toEqual([rowOf(same)]);
});

test('of a record that is twice in a page, the newer one stays', async () => {
  const [newer, older] = [ticket('1', 9, { net_weight: 1 }), ticket('1', 8, { net_weight: 2 })];
  expect(await post([older, newer, older])).toBe(204);
  expect(rows()).toEqual([rowOf(newer)]);
});

test('a deleted record stays as deleted, and an old page does not bring it back', async () => {
  const gone = ticket('1', 9, { deleted_at: at(9).toISOString() });
  for (const page of [ticket('1', 8), gone, ticket('1', 8)]) expect(await post([page])).toBe(204);
  expect(rows()).toEqual([{ ...rowOf(gone), deleted_at: at(9).toISOString() }]);
});

test('a record that comes with less is held with less', async () => {
  const full = ticket('1', 8, { net_weight: 5, splits: [{ account_id: '1' }, { account_id: '2' }] });
  const reduced = ticket('1', 9, { splits: [{ account_id: '1' }] });
  for (const page of [full, reduced]) expect(await post([page])).toBe(204);
  expect(rows()).toEqual([rowOf(reduced)]);
});

test('many pages at once, in any order, leave the newest of each record', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => String(index));
  const page = (hour: number) => ids.map((id) => ticket(id, hour));
  const hours = [3, 7, 1, 8, 2, 6, 4, 5];
  const sent = hours.map((hour) => post(hour % 2 ? page(hour) : page(hour).reverse()));
  expect(await Promise.all(sent)).toEqual(hours.map(() => 204));
  expect(rows()).toEqual(
    page(8)
      .map(rowOf)
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
  );
});

test.each(['X-GZIP', ' gzip\t'])('a page packed as %j is understood', async (encoding) => {
  expect(await send(gzipSync(pageOf([ticket('1', 8)])), { headers: { 'content-encoding': encoding } })).toBe(
    204,
  );
});

test('a probe is answered, and a page by its whole address is taken, as proxies send them', async () => {
  for (const method of ['GET', 'HEAD']) expect((await fetch(`${url}/health`, { method })).status).toBe(200);
  const body = pageOf([ticket('1', 8)]);
  const signed = await signPage('msg_1', body, { signingSecrets: [SECRET] }, new Date());
  const { port } = new URL(url);
  const asked = request({ port, method: 'POST', path: 'http://acme.example/feed', headers: { ...signed } });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(204);
});

test('packed pages are understood; a test of the operator is answered and not applied', async () => {
  const page = [ticket('1', 8)];
  expect(await send(gzipSync(pageOf(page)), { headers: { 'content-encoding': 'gzip' } })).toBe(204);
  expect(await post([ticket('test', 8)], { id: 'test_1' })).toBe(204);
  expect(await post([])).toBe(204);
  expect(rows()).toEqual(page.map(rowOf));
  const marked = [ticket('2', 8)];
  expect(await post(marked, { headers: { 'x-gdx-test': 'true' } })).toBe(204);
  expect(rows()).toEqual([...page, ...marked].map(rowOf));
});

test('the character 0, which PostgreSQL cannot hold, does not stop the feed', async () => {
  expect(await post([ticket('1', 8, { note: 'a\0b', path: 'C:\\u0000', 'k\0': '\\\0' })])).toBe(204);
  expect(rows()[0]?.record).toMatchObject({ note: 'a�b', path: 'C:\\u0000', 'k�': '\\�' });
});

test('what is not signed for it is refused and not applied', async () => {
  await post([ticket('1', 8)]);
  const before = rows();
  const page = pageOf([ticket('1', 23)]);
  expect(await send(page, { secret: newSigningSecret() })).toBe(401);
  expect(await send(page, { at: new Date(Date.now() - 400_000) })).toBe(401);
  expect(await send(page, { headers: { 'webhook-id': 'msg_another' } })).toBe(401);
  expect((await fetch(`${url}/feed`, { method: 'POST', body: new Uint8Array(page) })).status).toBe(401);
  expect(await send(page, { to: '/other' })).toBe(404);
  expect(rows()).toEqual(before);
});

test.each([
  ['no JSON', 'grain'],
  ['null', 'null'],
  ['no data', '{"meta":{}}'],
  ['nothing in a place', '{"data":[null]}'],
  ['an unknown type', '{"data":[{"toString":{"id":"1","updated_at":"2026","deleted_at":null}}]}'],
  ['no id', '{"data":[{"ticket":{"updated_at":"2026","deleted_at":null}}]}'],
  ['no updated_at', '{"data":[{"ticket":{"id":"1","deleted_at":null}}]}'],
  [
    'what no text can be',
    '{"data":[{"ticket":{"id":"1","updated_at":"2026","deleted_at":null,"note":"\\ud800"}}]}',
  ],
])('400 for what is signed and no page: %s', async (_what, body) => {
  const good = ticket('good', 8);
  await post([good]);
  expect(await send(Buffer.from(body))).toBe(400);
  // all of a page or nothing
  const mixed = Buffer.from(`{"data":[${ticket('2', 8)},${/\[(.+)\]/.exec(body)?.[1] ?? '{}'}]}`);
  expect(await send(mixed)).toBe(400);
  expect(rows()).toEqual([rowOf(good)]);
});

test('400 for what says that it is packed and is not', async () => {
  expect(await post([ticket('1', 8)], { headers: { 'content-encoding': 'gzip' } })).toBe(400);
});

test('503 while the database is away, and what was confirmed is there when it is back', async () => {
  const [first, second] = [ticket('1', 8), ticket('2', 8)];
  expect(await post([first])).toBe(204);
  await postgres.crash();
  expect(await post([second])).toBe(503);
  await postgres.start();
  expect(rows()).toEqual([rowOf(first)]);
  await eventually(async () => expect(await post([second])).toBe(204));
  expect(rows()).toEqual([first, second].map(rowOf));
});

test('no 204 before it has committed: 503 within 30 s where somebody holds the table', async () => {
  await post([ticket('1', 8)]);
  const holder = spawn('psql', [postgres.url, '-Xq'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const held = once(holder.stdout, 'data');
  holder.stdin.write('BEGIN; LOCK TABLE tickets; SELECT 1;\n');
  await held;
  const before = Date.now();
  expect(await post([ticket('1', 9)])).toBe(503);
  expect(Date.now() - before).toBeLessThan(30_000);
  const waiting = post([ticket('1', 10)]);
  holder.stdin.end('COMMIT;\n');
  expect(await waiting).toBe(204);
  expect(rows()).toEqual([rowOf(ticket('1', 10))]);
});

test('on SIGTERM it ends by itself, and it does not start without a secret', async () => {
  const another = await startReceiver();
  expect(await another.receiver.end('SIGTERM')).toBe(0);
  await expect(startReceiver('')).rejects.toThrow('set SIGNING_SECRET');
});

test('gdx listen hands it what is collected', async () => {
  const { feed, api } = await stand({ feed: {}, api: {} });
  await feed.addChannel('collected', { delivery: 'pull', page_size: 2 });
  await feed.push('collected', ENTITY_TYPES, 5);
  const { signingSecrets } = await openSecrets(feed.store, await feed.channel('collected'), new Date());
  const own = await startReceiver(signingSecrets[0]);
  const { listen } = await startListening(feed, api, 'collected', { baseUrl: own.url });
  expect(await listen(['--once'])).toMatchObject({ code: 0 });
  for (const type of ENTITY_TYPES) expect([type, rows(type).length]).toEqual([type, 5]);
});
