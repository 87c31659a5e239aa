import { once } from 'node:events';
import path from 'node:path';
import type { Store } from '../../store/store';
import { Terminal } from '../readme/terminal';
import { eventually } from '../setup/eventually';
import { openStore } from '../setup/open-store';
import { openMailbox } from './mailbox';
import { startPoster, type PostedAccount, type Poster } from './start-poster';
import { temporaryFolder } from '../setup/temporary-folder';

// The whole walk with it is test/docs/customer-walk.nightly.test.ts; here, what a page may do.

const SAMPLE = path.join(__dirname, '../../docs/samples/feed-to-table.py');
const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour));
const meyer = (name: string, hour: number): PostedAccount => ({ id: '1001', name, at: at(hour) });

let store: Store;
const folder = temporaryFolder('table');
let poster: Poster;
let terminal: Terminal;
let receiver: ReturnType<Terminal['leave']>;
let url: string;

beforeAll(async () => {
  store = await openStore();
  poster = await startPoster(store, 'acme', 'http://127.0.0.1:9');
  terminal = new Terminal(folder, { ...process.env, SIGNING_SECRET: poster.signingSecret });
  receiver = terminal.leave(`python3 ${SAMPLE} serve 0`);
  const port = () => /listening on (\d+)/.exec(receiver.printed())?.[1];
  url = await eventually(() => (expect(port()).toBeDefined(), `http://127.0.0.1:${port()}`));
});
afterAll(async () => {
  const exited = once(receiver.process, 'exit');
  receiver.process.kill('SIGKILL');
  await exited;
});

const post = (accounts: PostedAccount[], changes: Parameters<Poster['post']>[1] = {}) =>
  poster.post(accounts, { base_url: url, ...changes });

/** What the table holds, by id. */
async function names(): Promise<Record<string, string>> {
  const script = `
import json, sqlite3
rows = sqlite3.connect("feed.db").execute("SELECT id, record FROM accounts")
print(json.dumps({id: json.loads(record)["name"] for id, record in rows}))`;
  return JSON.parse(await terminal.type(`python3 -c '${script}'`)) as Record<string, string>;
}

test('a row gives way to an equal or newer record, and not to an older one', async () => {
  expect(await post([meyer('Meyer & Søns', 10)])).toMatchObject({ status: 200 });
  expect(await post([meyer('An old page', 9)])).toMatchObject({ status: 200 });
  expect(await names()).toEqual({ '42-1001': 'Meyer & Søns' });
  await post([meyer('Of the same instant', 10)]);
  expect(await names()).toEqual({ '42-1001': 'Of the same instant' });
});

test('packed pages are understood; a test of the operator is answered and not applied', async () => {
  expect(await post([meyer('Packed', 11)], { gzip: true })).toMatchObject({ status: 200 });
  expect(await post([{ id: 'test', name: 'TEST', at: at(12) }], { test: true })).toMatchObject({
    status: 200,
  });
  expect(await names()).toEqual({ '42-1001': 'Packed' });
});

test('what is not signed for it is refused and not applied', async () => {
  const before = await names();
  const mailbox = await openMailbox();
  await poster.post([meyer('Forged', 23)], { base_url: mailbox.url });
  const { body, id, timestamp, signature } = mailbox.last();
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const send = async (sent: string, signed: Record<string, string>, to = '/feed') =>
    (await fetch(url + to, { method: 'POST', body: sent, headers: signed })).status;
  expect(await send(body.toString().replace('Forged', 'Forgot'), headers)).toBe(401);
  expect(await send(body.toString(), {})).toBe(401);
  expect(await send(body.toString(), headers, '/other')).toBe(404);
  expect(await names()).toEqual(before);
  expect(await send(body.toString(), headers)).toBe(200);
});

test.each([
  ['without its settings', '', /^set SIGNING_SECRET, GDX_URL, GDX_TOKEN: .*\n$/],
  [
    'without a service',
    'SIGNING_SECRET=s GDX_TOKEN=t GDX_URL=http://127.0.0.1:9',
    /\/markers does not answer: .*\n$/,
  ],
])('collecting %s it says what is missing, in one line', async (_, settings, says) => {
  const unset = '-u SIGNING_SECRET -u GDX_URL -u GDX_TOKEN';
  const collecting = terminal.type(`env ${unset} ${settings} python3 ${SAMPLE} collect acme 2>&1`);
  await expect(collecting).rejects.toMatchObject({ code: 1, stdout: expect.stringMatching(says) });
});
