import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChannel } from '../../store/channels/channels';
import { freePort } from '../../tools/local/free-port';
import { type Desk, startDesk } from '../cli/start-desk';
import { pressCtrlC, Terminal } from '../readme/terminal';
import { eventually } from '../setup/eventually';
import { ownTemporalNamespace } from '../setup/own-temporal-namespace';
import { startService } from '../setup/processes';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { temporaryFolder } from '../setup/temporary-folder';

// Engineers who have an address and a token alone play what the served pages say, in an empty folder (docs/contract.md A21).
// The two ways from a key to a table are in customer-walk.

let desk: Desk;
let url: string;
let receiver: ReturnType<Terminal['leave']>;
const given: Record<string, string> = {};
const pages: Record<string, string> = {};
const folder = temporaryFolder('served-guide');
const terminal = new Terminal(folder, { PATH: process.env.PATH, HOME: folder });
const SHARED = { channel: 'acme', partner_id: 'POLICY-4711', farmer: 'f', account: '42-1001' };

beforeAll(async () => {
  ownTemporalNamespace('guide');
  desk = await startDesk();
  const PORT = String(await freePort(0));
  given['9000'] = String(await freePort(0));
  const env = { ...desk.env, PORT, GDX_PUBLIC_URL: (url = `http://127.0.0.1:${PORT}`) };
  await Promise.all([startService('worker', env), startService('api', env)]);
  const add = async (...args: string[]) =>
    (await desk.gdx([...args, '--json'])).json() as Record<string, string>;
  const erp = await add('integration', 'add', '--company-id', '42', '--company', 'Prairie Co-op');
  const base = [
    '--base-url',
    `http://127.0.0.1:${given['9000']}`,
    '--callback-origin',
    'https://acme.example',
  ];
  const rest = ['--company', '42', '--scope', 'subscribed', '--cadence', '5s'];
  const customer = await add('channel', 'add', 'acme', '--name', 'Acme', ...base, ...rest);
  given['gdx_erp_live_...'] = given['gdx_erp_test_...'] = erp['token']!;
  given['gdx_channel_live_...'] = customer['api_key']!;
  given['whsec_...'] = customer['signing_secret']!;
  for (const name of ['erp', 'files', 'customer', 'samples'])
    pages[name] = await terminal.type(`curl -sSf ${url}/guide/${name}.md`);
});
afterAll(() => receiver && pressCtrlC(receiver.process));

/** What is between the fences of the block that has this text, with what the reader was given in its places. */
function block(page: string, has: string): string {
  const blocks = [...pages[page]!.matchAll(/^( *)```.*\n([^]*?)^ *```$/gm)].map(([, , text]) => text!);
  const found = blocks.filter((text) => text.includes(has));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} have ${has}`);
  return Object.entries(given).reduce((text, [place, own]) => text.replaceAll(place, own), found[0]!);
}

const asJson = async (token: string, at: string, init: RequestInit = {}) => {
  const headers = { authorization: given[token]!, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${at}`, { ...init, headers });
  return [answer.status, await answer.json()] as const;
};
/** Sends a request that the guide shows as it goes over the wire. */
const send = (shown: string) => {
  const [, method, at, body] = /^([A-Z]+) (\S+)\n([^]*)$/.exec(shown)!;
  return asJson('gdx_channel_live_...', at!, { method: method!, body: body! });
};
const held = async (type: string) =>
  (await asJson('gdx_erp_live_...', `/api/v1/records/${type}`))[1] as {
    records: { id: string; deleted_at?: string }[];
  };

test('an ERP pushes with curl, in Node and in Python', async () => {
  expect(await terminal.type(block('erp', 'curl -sSi'))).toMatch(/^HTTP\/1\.1 204/);
  expect((await held('accounts')).records).toMatchObject([{ id: '1001' }]);
  const example = block('erp', '52340');
  for (const [language, has] of Object.entries({ mjs: 'node push.mjs', py: 'python3 push.py' })) {
    const program = block('erp', has);
    writeFileSync(path.join(folder, `push.${language}`), program);
    writeFileSync(
      path.join(folder, 'push.json'),
      example.replaceAll('T-1', language === 'py' ? 'T-2' : 'T-1'),
    );
    const [command] = new RegExp(`TOKEN=.*${has}.*`).exec(program)!;
    expect(await terminal.type(command)).toMatch(/^204/);
  }
  expect((await held('tickets')).records).toMatchObject([{ id: 'T-1' }, { id: 'T-2' }]);
});

test('an ERP pushes a whole file, and what the next one lacks is deleted', async () => {
  const rows = Array.from({ length: 20 }, (_, index) => `T-${index + 1},1001,50000`);
  const write = (some: string[]) =>
    writeFileSync(path.join(folder, 'tickets.csv'), ['Ticket,Account,Net Lb', ...some].join('\n'));
  write(rows);
  await terminal.type(block('files', 'gdx.mjs.sha256'));
  await terminal.type(block('files', '--draft tickets'));
  const [, whole] = /^`("whole": \{\})` says/m.exec(pages['files']!)!;
  await terminal.type(`sed -i '1s/{/{ ${whole},/' tickets.mapping.json`);
  const push = block('files', '--dry-run');
  expect(await terminal.type(push)).toMatch(/checked +20/);
  expect(await terminal.type(push.replace('--dry-run', ''))).toMatch(/pushed +20/);
  write(rows.slice(0, -1));
  await terminal.type(push.replace('--dry-run', ''));
  const gone = (await held('tickets')).records.filter(({ deleted_at }) => deleted_at);
  expect(gone.map(({ id }) => id)).toEqual(['T-20']);
});

const records = async () =>
  JSON.parse(await terminal.type('cat held.json')).records as Record<string, object>;
async function listen() {
  const lines = block('customer', 'HELD=held.json node receiver.mjs').trim().split('\n');
  const command = lines.pop()!;
  await terminal.type(lines.join('\n'));
  receiver = terminal.leave(`env ${command}`);
  await eventually(() => expect(receiver.printed()).toContain('listening'));
}

test('a customer receives, compares and mends what it has lost', async () => {
  const [, fetched] = /`(curl -O \S+\/NAME)`/.exec(pages['samples']!)!;
  await terminal.type(fetched!.replace('NAME', 'sign-link.cjs'));
  await listen();
  await grantAccounts(desk.store, (await findChannel(desk.store, 'acme'))!, [SHARED]);
  await eventually(async () => expect((await records())['tickets']).toHaveProperty('42-T-19'));
  await pressCtrlC(receiver.process);
  await terminal.type(
    `python3 -c "import json; held = json.load(open('held.json')); del held['records']['tickets']['42-T-2']; json.dump(held, open('held.json', 'w'))"`,
  );
  await listen();
  const [download, settings, differs, mend] = block('customer', 'compare.mjs acme tickets --mend')
    .replace('feed.db', 'held.json')
    .trim()
    .split('\n');
  await terminal.type(download!);
  expect(await terminal.type(`${settings}\n${differs!.replace('#', '|| true #')}`)).toContain(
    'missing  42-T-2',
  );
  await terminal.type(`${settings}\n${mend}`);
  await eventually(async () => expect((await records())['tickets']).toHaveProperty('42-T-2'));
  expect(await terminal.type(`${settings}\n${differs}`)).toContain('no differences');
});

test('a customer whose secret is exchanged goes on with either', async () => {
  const rotated = (
    await desk.gdx(['channel', 'rotate-secret', 'acme', '--yes', '--reason', 'test', '--json'])
  ).json();
  const pushed = async (id: string) => {
    await terminal.type(
      `sed -i 's/"id": "T-[^"]*"/"id": "${id}"/' push.json && TOKEN=${given['gdx_erp_live_...']} node push.mjs < push.json`,
    );
    await eventually(async () => expect((await records())['tickets']).toHaveProperty(`42-${id}`));
  };
  await pushed('T-before');
  await pressCtrlC(receiver.process);
  given['whsec_...'] = rotated.signing_secret;
  await listen();
  await pushed('T-after');
});

test('a customer signs a link, and one that is changed is refused', async () => {
  const { link_key } = (
    await desk.gdx(['channel', 'link-key', 'acme', '--yes', '--reason', 'test', '--json'])
  ).json();
  given['gdx_link_...'] = link_key;
  const link = (await terminal.type(block('customer', 'sign-link.py'))).trim();
  const [, usage] = /(LINK_KEY=gdx_link_\.\.\. node sign-link.cjs) <page>/.exec(
    await terminal.type('cat sign-link.cjs'),
  )!;
  const query = new URL(link).searchParams;
  const names = ['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone', 'expires'];
  const values = names.map((name) => `'${query.get(name)}'`).join(' ');
  const again = `${usage!.replace('gdx_link_...', link_key)} ${url}/subscriptions ${values}`;
  expect((await terminal.type(again)).trim()).toBe(link);
  const statusOf = async (address: string) => (await fetch(address, { redirect: 'manual' })).status;
  expect([await statusOf(link), await statusOf(link.replace('7015550142', '7015550143'))]).toEqual([
    303, 403,
  ]);
});

test('a customer deletes what a farmer has stopped sharing, and says so', async () => {
  await revokeAccounts(desk.store, [SHARED]);
  const [, list] = /`GET (\/api\/v1\/channels\/acme\/subscriptions\?ended=true)`/.exec(pages['customer']!)!;
  expect(await asJson('gdx_channel_live_...', list!)).toMatchObject([
    200,
    { data: [{ account: { id: '42-1001' }, delete: true, confirmed_at: null }] },
  ]);
  const [, settings, , mend] = block('customer', 'compare.mjs acme tickets --mend')
    .replace('feed.db', 'held.json')
    .trim()
    .split('\n');
  for (const type of ['accounts', 'tickets'])
    await terminal.type(`${settings}\n${mend!.replace('acme tickets', `acme ${type}`)}`);
  await pressCtrlC(receiver.process);
  await listen();
  const { accounts, tickets } = await records();
  expect([accounts, tickets]).toEqual([{}, {}]);
  expect(await send(block('customer', 'POST /api/v1/channels/acme/deletions'))).toMatchObject([
    200,
    { account: '42-1001' },
  ]);
  expect((await asJson('gdx_channel_live_...', list!))[1]).toMatchObject({
    data: [{ confirmed_at: expect.any(String) }],
  });
});
