import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { freePort } from '../../tools/local/free-port';
import { generateCompany } from '../../tools/sample/generate-elevator-company';
import { type Desk, startDesk } from '../cli/start-desk';
import { pressCtrlC, Terminal } from '../readme/terminal';
import { eventually } from '../setup/eventually';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { type Service, startService } from '../setup/processes';
import { readWays } from './read-ways';
import { Stopwatch } from './stopwatch';
import { serveHere } from '../setup/serve-here';

// The customer's engineer has Python, curl, and what the operator has given them: the guide and the samples come from the service.

const MOST_MINUTES = 15;
const HARVEST = generateCompany({ seed: 15, accounts: 20, tickets: 400 });

interface Given {
  slug: string;
  api_key: string;
  signing_secret: string;
}

let desk: Desk;
let api: Service;
let guide: string; // as it is served
let port: number; // of the receiver
let called = 0;
let acme: Given;
let closed: Given;
let expected: Record<string, object[]>;
const dirs: string[] = [];
const left: ChildProcess[] = [];

beforeAll(async () => {
  ownTemporalNamespace('walk');
  desk = await startDesk();
  const PORT = String(await freePort(0));
  const env = { ...desk.env, PORT, GDX_PUBLIC_URL: `http://127.0.0.1:${PORT}` };
  [api] = await Promise.all([startService('api', env), startService('worker', desk.env)]);
  guide = await (await fetch(`${api.url}/guide/customer.md`)).text();
  port = await freePort(0);
  const { url: nowhere } = await serveHere(createServer((socket) => (called++, socket.destroy()))); // in the closed network
  acme = await addChannel('acme', ['--base-url', `http://127.0.0.1:${port}`]);
  closed = await addChannel('closed', ['--base-url', nowhere]);
  await desk.gdx(['channel', 'set', 'closed', '--delivery', 'pull']);
  await pushHarvest();
  expected = await collectAsWitness(await addChannel('witness', ['--delivery', 'pull']));
});

afterAll(async () => {
  for (const child of left) await pressCtrlC(child);
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

async function addChannel(slug: string, args: string[]): Promise<Given> {
  return (
    await desk.gdx(['channel', 'add', slug, '--name', 'Acme', '--all-companies', '--json', ...args])
  ).json();
}

/** What an ERP does. */
async function pushHarvest(): Promise<void> {
  const { token } = (
    await desk.gdx(['integration', 'add', '--company-id', '42', '--company', 'Prairie Co-op', '--json'])
  ).json();
  const data = Object.entries(HARVEST).map(([type, list]) => ({ [`update-${type}`]: { [type]: list } }));
  const answer = await fetch(`${api.url}/api/v1/push`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  });
  expect([answer.status, await answer.text()]).toEqual([204, '']);
}

const byId = (one: object, other: object) =>
  (one as { id: string }).id < (other as { id: string }).id ? -1 : 1;

/** The feed's content, as another customer is answered it, by entity type. */
async function collectAsWitness({ slug, api_key }: Given): Promise<Record<string, object[]>> {
  const feed = `${api.url}/api/v1/channels/${slug}/feed`;
  const headers = { authorization: api_key };
  const pages = ENTITY_TYPES.map(async (type) => {
    const answer = await fetch(`${feed}?entity_type=${type}`, { headers });
    const { data, meta } = (await answer.json()) as { data: Record<string, object>[]; meta: object };
    expect(meta).toMatchObject({ total_pages: 1, total_count: HARVEST[type].length });
    return [type, data.map((wrapper) => Object.values(wrapper)[0]!).sort(byId)];
  });
  return Object.fromEntries(await Promise.all(pages));
}

/** The machine of a customer: an empty folder, and no settings of the service's. */
function newMachine(env: NodeJS.ProcessEnv = {}): { dir: string; terminal: Terminal } {
  const dir = mkdtempSync(path.join(tmpdir(), 'gdx-walk-'));
  dirs.push(dir);
  return { dir, terminal: new Terminal(dir, { PATH: process.env.PATH, HOME: dir, ...env }) };
}

/** The customer's own values in place of the guide's. */
const filledIn = (commands: string, { slug, api_key, signing_secret }: Given) =>
  commands
    .replace(/\bacme\b/g, slug)
    .replaceAll('gdx_channel_live_...', api_key)
    .replaceAll('whsec_...', signing_secret)
    .replace(/\b9000\b/g, String(port));

/** What the tables hold, by entity type; SQLite is read by Python, as the customer does. */
async function rowsIn(terminal: Terminal): Promise<Record<string, object[]>> {
  const script = `
import json, sqlite3
db = sqlite3.connect("feed.db")
tables = "${ENTITY_TYPES.join(' ')}".split()
print(json.dumps({table: list(db.execute(f"SELECT * FROM {table} ORDER BY id")) for table in tables}))`;
  const tables = JSON.parse(await terminal.type(`python3 -c '${script}'`)) as Record<string, string[][]>;
  const recordOf = ([id, updated_at, deleted_at, record]: string[]) => {
    const parsed = JSON.parse(record!) as object;
    expect(parsed).toMatchObject({ id, updated_at, deleted_at });
    return parsed;
  };
  return Object.fromEntries(
    Object.entries(tables).map(([type, rows]) => [type, rows.map(recordOf).sort(byId)]),
  );
}

const idsIn = (printed: string) => [...printed.matchAll(/^\('([^']+)'/gm)].map(([, id]) => id!);
const TICKETS = new Set(HARVEST.tickets.map(({ id }) => `42-${id}`));

function expectTickets(printed: string): void {
  const ids = idsIn(printed);
  expect(ids).toHaveLength(3);
  expect(ids.filter((id) => !TICKETS.has(id))).toEqual([]);
}

/** @param page the text of the guide, or of a copy of it */
async function walkWithPush(page: string, withinMs?: number): Promise<Stopwatch> {
  const { read, blocks } = readWays(page).push;
  const [fetch, start, reset, look] = blocks.map(({ commands }) => filledIn(commands, acme)) as [
    string,
    string,
    string,
    string,
  ];
  expect(blocks.map(({ terminal }) => terminal)).toEqual([1, 1, 2, 2]);
  const { terminal } = newMachine();
  const watch = new Stopwatch();
  watch.read(read);
  await watch.type(fetch, (commands) => terminal.type(commands));
  const receiver = await watch.type(start, async (commands) => {
    const running = terminal.leave(`env ${commands}`);
    left.push(running.process);
    await eventually(() => expect(running.printed()).toContain('listening'), withinMs);
    return running;
  });
  try {
    await watch.type(reset, (commands) => terminal.type(commands));
    await watch.type(look, (commands) =>
      eventually(async () => {
        expectTickets(await terminal.type(commands));
        expect(await rowsIn(terminal)).toEqual(expected);
      }, withinMs),
    );
    expect(receiver.printed()).toMatch(/"POST \/feed HTTP\/1\.1" 200/);
  } finally {
    await pressCtrlC(receiver.process);
  }
  return watch;
}

/** @param page the text of the guide, or of a copy of it */
async function walkWithPull(page: string): Promise<Stopwatch> {
  const { read, blocks } = readWays(page).pull;
  const [fetch, collect, look] = blocks.map(({ commands }) => filledIn(commands, closed)) as [
    string,
    string,
    string,
  ];
  expect(blocks.map(({ terminal }) => terminal)).toEqual([1, 1, 1]);
  const { terminal } = newMachine({ PYTHONPATH: networkThatLetsNothingIn() });
  const watch = new Stopwatch();
  watch.read(read);
  await watch.type(fetch, (commands) => terminal.type(commands));
  await watch.type(collect, (commands) => terminal.type(commands));
  expectTickets(await watch.type(look, (commands) => terminal.type(commands)));
  expect(await rowsIn(terminal)).toEqual(expected);
  return watch;
}

/** @returns a folder for PYTHONPATH, with which no Python program can listen */
function networkThatLetsNothingIn(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'gdx-walk-'));
  dirs.push(dir);
  const hook = `
import sys
def refuse(event, _):
    if event == "socket.bind":
        raise PermissionError("nothing may listen here")
sys.addaudithook(refuse)
`;
  writeFileSync(path.join(dir, 'sitecustomize.py'), hook);
  return dir;
}

/** The guide with one text of its commands changed. */
function changed(from: string, to: string): string {
  expect(guide).toContain(from);
  return guide.replace(from, to);
}

test.each([
  [
    'another command',
    'feed-to-table.py collect acme',
    'feed-to-table.py gather acme',
    /feed-to-table\.py serve <port>/,
  ],
  [
    'another setting',
    'GDX_TOKEN=gdx_channel_live_...',
    'GDX_KEY=gdx_channel_live_...',
    /set GDX_TOKEN: the operator has given/,
  ],
  ['something that listens', 'py collect acme', 'py serve 9000', /nothing may listen here/],
])('with pull, a guide that says %s is noticed', async (_, from, to, why) => {
  await expect(walkWithPull(changed(from, to))).rejects.toThrow(why);
});

test.each([
  ['another file', 'feed-to-table.py serve', 'feed-to-tables.py serve', /can't open file/],
  ['another address', '$MARKERS/$type/reset', '$MARKERS/$type/again', /no such table: tickets/],
  ['another table', 'FROM tickets', 'FROM ticket', /no such table: ticket\b/],
])('with push, a guide that says %s is noticed', async (_, from, to, why) => {
  await expect(walkWithPush(changed(from, to), 10_000)).rejects.toThrow(why);
});

test('with push: from the key to every record in a table', async () => {
  const watch = await walkWithPush(guide);
  process.stderr.write(`with push: ${String(watch)}\n`);
  expect(watch.minutes).toBeLessThanOrEqual(MOST_MINUTES);
});

test('with pull behind a closed network: from the key to every record in a table', async () => {
  const watch = await walkWithPull(guide);
  process.stderr.write(`with pull: ${String(watch)}\n`);
  expect(watch.minutes).toBeLessThanOrEqual(MOST_MINUTES);
  expect(called).toBe(0);
});
