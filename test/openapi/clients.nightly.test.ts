import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChannel } from '../../store/channels/channels';
import { checkout } from '../../tools/local/checkout';
import { type Desk, startDesk } from '../cli/start-desk';
import { Terminal } from '../readme/terminal';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { type Service, startService } from '../setup/processes';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { temporaryFolder } from '../setup/temporary-folder';
import { DOCUMENT, type Node } from './read-document';

// Generators make clients of the running service's document, and each calls every operation (docs/contract.md A12).

/** What the Python client is made with. Installed from PyPI, as no other test needs it. */
const GENERATOR = 'openapi-python-client==0.29.1';

const OPERATIONS = Object.entries<Node>(DOCUMENT.paths).flatMap(([at, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${at}`),
);

let desk: Desk;
let services: Service[];
const folder = temporaryFolder('clients');
let terminal: Terminal;

beforeAll(async () => {
  ownTemporalNamespace('clients');
  desk = await startDesk();
  services = await Promise.all([startService('worker', desk.env), startService('api', desk.env)]);
  const { url } = services[1]!;
  const added = await desk.gdx([
    'integration',
    'add',
    '--company-id',
    '42',
    '--company',
    'Prairie Co-op',
    '--json',
  ]);
  const { token } = added.json();
  const { api_key } = (
    await desk.gdx([
      'channel',
      'add',
      'acme',
      '--name',
      'Acme',
      '--delivery',
      'pull',
      '--company',
      '42',
      '--scope',
      'subscribed',
      '--cadence',
      '5s',
      '--json',
    ])
  ).json();
  const accounts = ['1001', '1002'].map((id) => ({ id, name: 'Olson' }));
  await fetch(`${url}/api/v1/push`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ data: [{ 'update-accounts': { accounts } }] }),
  });
  const keys = accounts.map(({ id }) => ({
    channel: 'acme',
    partner_id: 'p',
    farmer: 'f',
    account: `42-${id}`,
  }));
  await grantAccounts(desk.store, (await findChannel(desk.store, 'acme'))!, keys);
  await revokeAccounts(desk.store, keys.slice(1));
  const env = {
    PATH: `${folder}/python/bin:${process.env.PATH}`,
    HOME: folder,
    PYTHONPATH: `${folder}/python`,
  };
  terminal = new Terminal(folder, { ...env, GDX_URL: url, GDX_ERP: token, GDX_CUSTOMER: api_key });
  await terminal.type('curl -sSf -O $GDX_URL/openapi.json');
});

/** Which operation each request was that a client says it has sent. Whatever else it says has to be `true`. */
function operationsIn(said: string): Set<string> {
  const [requests, truths] = [/^[A-Z]+ .*$/gm, /^(true|false)$/gm].map((line) => said.match(line) ?? []);
  expect(truths!.filter((truth) => truth !== 'true')).toEqual([]);
  const called = requests!.map((request) => {
    const [method, at, status] = request.split(' ');
    expect([request, status]).toEqual([request, expect.stringMatching(/^20\d$/)]);
    const found = OPERATIONS.filter((one) =>
      new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${at}`),
    );
    return found[0] ?? request;
  });
  return new Set(called);
}

test('TypeScript: it type-checks, and makes every operation work', async () => {
  symlinkSync(path.join(checkout, 'node_modules'), path.join(folder, 'node_modules'));
  copyFileSync(path.join(__dirname, 'call-all.ts.txt'), path.join(folder, 'call-all.ts'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const { compilerOptions } = JSON.parse(readFileSync(path.join(checkout, 'tsconfig.json'), 'utf8'));
  const strict = {
    ...compilerOptions,
    skipLibCheck: false,
    types: ['node'],
    rootDir: '.',
    outDir: 'built',
    incremental: false,
  };
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: strict, files: ['call-all.ts'] }),
  );
  await terminal.type('node node_modules/openapi-typescript/bin/cli.js openapi.json -o service.ts');
  await terminal.type('node node_modules/typescript/bin/tsc >&2');
  expect(operationsIn(await terminal.type('node built/call-all.js'))).toEqual(new Set(OPERATIONS));
});

test('Python: it is generated whole, and makes every operation work', async () => {
  mkdirSync(path.join(folder, 'python'));
  await terminal.type(`python3 -m pip install -q --disable-pip-version-check --target python ${GENERATOR}`);
  const said = await terminal.type(
    'openapi-python-client generate --path openapi.json --meta none --output-path service',
  );
  // It knows no lines of JSON: the text of that answer is the caller's to read.
  expect(said.match(/^(?:WARNING|ERROR|Unable|Failure).*/gim)).toEqual([
    expect.stringContaining('encountered while generating'),
    expect.stringContaining('GET /api/v1/check'),
  ]);
  copyFileSync(path.join(__dirname, 'call-all.py'), path.join(folder, 'call-all.py'));
  expect(operationsIn(await terminal.type('python3 call-all.py'))).toEqual(new Set(OPERATIONS));
});
