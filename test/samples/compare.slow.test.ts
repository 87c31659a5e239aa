import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { listReleased } from '../../store/deliveries/set-aside';
import { type DigestScene, openDigestScene } from '../api/open-digest-scene';
import { type Api, startApi } from '../api/start-api';
import { temporaryFolder } from '../setup/temporary-folder';
import { runCompare } from './run-compare';
import { serveHere } from '../setup/serve-here';

// What the comparison does with the file of a receiver; many records, and pushes beside it: compare-feed.nightly.test.ts.

const SAMPLES = path.join(__dirname, '../../docs/samples');
const folder = temporaryFolder('compare');
const at = (name: string) => path.join(folder, name);

let api: Api;
let scene: DigestScene;
beforeAll(async () => {
  api = await startApi();
  scene = await openDigestScene(api);
  await scene.passAll();
});

const compare = (HELD: string, ...args: string[]) =>
  runCompare(
    { GDX_TOKEN: scene.token, GDX_URL: `http://127.0.0.1:${api.port}`, HELD: at(HELD) },
    ...[scene.slug, 'tickets', ...args],
  );

/** Runs Python beside feed-to-table.py, on its file. */
function inPython(script: string, input = ''): string {
  const env = { ...process.env, FEED_DB: at('feed.db'), PYTHONDONTWRITEBYTECODE: '1' };
  return execFileSync('python3', ['-c', script], { input, env, cwd: SAMPLES, encoding: 'utf8' });
}

const keepPage = (data: object[]) =>
  inPython(
    'import importlib, sys; importlib.import_module("feed-to-table").store(sys.stdin.buffer.read())',
    JSON.stringify({ data }),
  );
const inTable = (statement: string) =>
  inPython(
    `import os, sqlite3\nwith sqlite3.connect(os.environ["FEED_DB"]) as db: print(*[row[0] for row in db.execute("${statement}")], sep="\\n")`,
  ).trim();

test('of feed.db, what differs is found; what is missing or altered is asked for, what is extra deleted', async () => {
  const stored = await scene.stored();
  keepPage(stored.map(({ wire }) => JSON.parse(wire.toString('utf8')) as object));
  expect(await compare('feed.db')).toMatchObject({ code: 0, differences: [] });
  const [first, second] = [stored[0]!._id, stored[1]!._id];
  inTable(`UPDATE tickets SET updated_at = '2001-01-01T00:00:00.000Z' WHERE id = '${first}'`);
  inTable(`DELETE FROM tickets WHERE id = '${second}'`);
  inTable("INSERT INTO tickets VALUES ('x', '2001-01-01T00:00:00.000Z', NULL, '{}')");
  const found = await compare('feed.db');
  expect([found.code, found.differences]).toEqual([
    1,
    expect.arrayContaining([
      { what: 'altered', id: first },
      { what: 'missing', id: second },
      { what: 'extra', id: 'x' },
    ]),
  ]);
  expect(found.differences).toHaveLength(3);
  expect(await listReleased(api.store, scene.slug)).toEqual([]);
  expect(await compare('feed.db', '--mend')).toMatchObject({ code: 0 });
  expect(inTable('SELECT count(*) FROM tickets')).toBe(String(stored.length - 1));
  expect(inTable("SELECT count(*) FROM tickets WHERE id = 'x'")).toBe('0');
  const released = await listReleased(api.store, scene.slug);
  expect(released.map(({ record }) => record).sort()).toEqual([first, second].sort());
});

test('a database without the table holds nothing of the type', async () => {
  inTable('ALTER TABLE tickets RENAME TO other');
  const { code, differences } = await compare('feed.db');
  expect([code, new Set(differences.map(({ what }) => what))]).toEqual([1, new Set(['missing'])]);
});

test('a file that is not there, or is no receiver’s, is an error, and nothing is sent again', async () => {
  writeFileSync(at('other.txt'), 'nothing');
  for (const [held, says] of [
    ['none.json', /there is no .*none\.json; say by HELD= where/],
    ['other.txt', /other\.txt is neither JSON nor SQLite; say by HELD= where/],
  ] as const)
    expect(await compare(held, '--mend')).toMatchObject({ code: 2, output: expect.stringMatching(says) });
});

test('no answer, and one that is not of the service, is an error and not a difference', async () => {
  writeFileSync(at('empty.json'), JSON.stringify({ ids: [], records: {} }));
  const gateway = createServer((_, answer) => answer.writeHead(502).end('<html>'));
  const { port } = await serveHere(gateway);
  for (const [token, onPort, says] of [
    ['nobody', api.port, /^UNAUTHENTICATED: .*\.\n$/],
    [scene.token, 1, /^fetch failed: .+\n$/],
    [scene.token, port, /JSON.*\n$/],
  ] as const) {
    const env = { GDX_TOKEN: token, GDX_URL: `http://127.0.0.1:${onPort}`, HELD: at('empty.json') };
    const seen = await runCompare(env, scene.slug, 'tickets');
    expect(seen).toMatchObject({ code: 2, output: expect.stringMatching(says) });
  }
});
