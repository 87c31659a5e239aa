import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { startNode } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';
import { serveHere } from '../setup/serve-here';

// gdx.mjs as an engineer has it: one file in a folder that is none of the repository's (docs/contract.md E22).

const BUILT = path.join(checkout, 'dist/downloads/gdx.mjs');
const FIELD = path.join(checkout, 'test/field');
const folder = temporaryFolder('client');
const at = (name: string) => path.join(folder, name);

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = await integrationToken(api.store);
  copyFileSync(BUILT, at('gdx.mjs'));
});

async function run(args: string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const running = startNode([at('gdx.mjs'), ...args], { PATH, GDX_TOKEN: token, ...env }, folder);
  const code = await running.ended;
  return { code, out: running.lines.join('\n') };
}

test('it is small, says its release, and its SHA-256 stands beside it', async () => {
  expect(statSync(BUILT).size).toBeLessThan(1.5e6);
  const { version, engines } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as {
    version: string;
    engines: { node: string };
  };
  expect(engines.node).toBe('>=20.19');
  expect(await run(['--version'])).toEqual({ code: 0, out: version });
  const offered = await api.ask('GET', '/downloads/gdx.mjs.sha256');
  const hash = createHash('sha256').update(readFileSync(BUILT)).digest('hex');
  expect(offered.text).toBe(`${hash}  gdx.mjs\n`);
  expect((await api.ask('GET', '/downloads/gdx.mjs.version')).text).toBe(`${version}\n`);
  expect((await api.ask('GET', '/downloads/other.mjs')).status).toBe(404);
});

test('it pushes a file without anything of the repository, and says when the service offers a later release', async () => {
  copyFileSync(path.join(FIELD, 'layouts/03-location-and-ticket.csv'), at('tickets.csv'));
  copyFileSync(path.join(FIELD, 'mappings/03-location-and-ticket.json'), at('mapping.json'));
  const url = `http://127.0.0.1:${api.port}`;
  const push = ['push', 'tickets.csv', '--mapping', 'mapping.json', '--url', url];
  const first = await run(push);
  expect(first.code).toBe(0);
  expect(first.out).toMatch(/tickets\.csv +pushed +6 +6 +0/);
  expect(first.out).not.toContain('The service offers');
  const { out: version } = await run(['--version']);
  const older = readFileSync(BUILT, 'utf8').replaceAll(JSON.stringify(version), '"0.0.9"');
  writeFileSync(at('gdx.mjs'), older);
  expect((await run(push)).out).toContain(
    `The service offers gdx.mjs ${version}, and this is 0.0.9: ${url}/downloads/gdx.mjs`,
  );
  copyFileSync(BUILT, at('gdx.mjs'));
});

test('it checks what the service holds of the ERP', async () => {
  const url = `http://127.0.0.1:${api.port}`;
  const { code, out } = await run(['check', '--url', url]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^tickets +6$[^]*account_missing: 6 name/m)]);
  const json = JSON.parse((await run(['check', '--url', url, '--json'])).out);
  expect(json.findings[0]).toMatchObject({ name: 'account_missing', count: 6 });
  expect(await run(['check', '--url', 'http://127.0.0.1:1'])).toMatchObject({
    code: 69,
    out: expect.stringContaining('broke off'),
  });
});

/** A service that answers each request alike. */
const startAnswering = (answer: object) =>
  serveHere(createServer((_, response) => void response.end(JSON.stringify(answer))));

test('ids of others that turn or hide text are printed as escapes, by every command', async () => {
  const id = 'T-1\u202e\u2066\u0007';
  const answer = {
    as_of: '2026-11-01T00:00:00.000Z', records: 1, pending: 0, ranges: [0],
    data: [{ id, updated_at: '2026-11-01T00:00:00.000Z' }],
    findings: [{ name: 'account_missing', count: 1, such_as: [id], what: id, so_that: id, to_mend: id, type: 'tickets' }],
    checked: { tickets: 1 }, code: id, message: id,
  }; // prettier-ignore
  const { url: GDX_URL } = await startAnswering(answer);
  writeFileSync(at('held.json'), '{}');
  writeFileSync(at('odd.csv'), `id,account_id,n${id}\n${id},,1\n`);
  writeFileSync(at('odd.json'), JSON.stringify({ type: 'tickets', record: { id: 'id', account_id: 'account_id', grade: `n${id}` } })); // prettier-ignore
  const env = { GDX_URL, HELD: at('held.json') };
  const url = ['--url', GDX_URL];
  const outputs = [
    await run(['compare', 'acme', 'tickets'], env),
    await run(['compare', 'acme', id], env),
    await run(['check', ...url]),
    await run(['listen', 'acme', '--to', 'http://127.0.0.1:1', ...url]),
    await run(['collect', 'acme', '--into', id, ...url]),
    await run(['push', 'odd.csv', '--draft', 'tickets']),
    await run(['push', 'odd.csv', '--mapping', 'odd.json', '--show', '3']),
    await run(['push', 'odd.csv', '--mapping', 'odd.json', ...url]),
    await run(['push', id, '--mapping', 'odd.json', ...url]),
  ];
  for (const { out } of outputs) expect(out).not.toMatch(/[\u202e\u2066\u0007]/);
  expect(outputs[0]!.out).toContain('missing  T-1\\u202e\\u2066\\u0007');
});

test('a wrong command is 2, a service that is away 69, and the comparison says what it needs', async () => {
  expect((await run(['push', 'tickets.csv'])).code).toBe(2);
  const away = [
    'push',
    'tickets.csv',
    '--mapping',
    'mapping.json',
    '--url',
    'http://127.0.0.1:1',
    '--retry-for',
    '1s',
  ];
  expect((await run(away)).code).toBe(69);
  const { code, out } = await run(['compare', 'acme', 'tickets']);
  expect(code).toBe(2);
  expect(out).toContain('set GDX_URL to the address of the service: the operator gave it to you');
  expect(await run(['compare', 'acme'])).toMatchObject({
    code: 2,
    out: expect.stringMatching(/entity-type/),
  });
  const help = await run(['compare', '--help']);
  expect(help).toMatchObject({
    code: 0,
    out: expect.stringMatching(/gdx\.mjs compare .*--mend.*GDX_URL .*HELD /s),
  });
});
