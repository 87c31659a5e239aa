import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChannel } from '../../store/feed/channels';
import { farmerOf } from '../../store/sharing/subscriptions';
import { startDesk, type Desk } from '../cli/start-desk';
import { grantAccounts } from '../setup/share-accounts';
import { temporaryFolder } from '../setup/temporary-folder';

const ACME = `acme-${randomBytes(4).toString('hex')}`;

let desk: Desk;

beforeAll(async () => {
  desk = await startDesk();
  const add = [
    '--name',
    'Acme',
    '--base-url',
    'http://127.0.0.1:9',
    '--scope',
    'subscribed',
    '--all-companies',
  ];
  expect((await desk.gdx(['channel', 'add', ACME, ...add])).exitCode).toBe(0);
});
afterAll(() => desk.close([ACME]));

const set = (...options: string[]) => desk.gdx(['channel', 'set', ACME, ...options]);
const channel = async () => (await findChannel(desk.store, ACME))!;

async function share(account: string): Promise<void> {
  const who = { channel: ACME, partner_id: 'p\u001b[31m', farmer: farmerOf(desk.store, '7015550142') };
  await grantAccounts(desk.store, await channel(), [{ ...who, account }]);
}

test('channel set changes what is named, and nothing else', async () => {
  const before = await channel();
  const origins = ['--callback-origin', 'https://a.example', '--callback-origin', 'https://B.example:443'];
  const run = await set(
    '--contact',
    '1-800-555-0100',
    '--cadence',
    '30m',
    '--page-size',
    '7',
    '--end-required',
    'on',
    ...origins,
    '--json',
  );
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  expect(run.json()).toMatchObject({
    slug: ACME,
    contact: '1-800-555-0100',
    cadence: '30m',
    end_required: true,
  });
  expect(await channel()).toEqual({
    ...before,
    contact: '1-800-555-0100',
    cadence_ms: 1_800_000,
    page_size: 7,
    end_required: true,
    callback_origins: ['https://a.example', 'https://b.example'],
  });
  expect(await desk.signals(ACME)).toContain('settingsChanged');
  const off = await set('--end-required', 'off', '--name', 'Acme', '--json');
  expect(off.json()).toMatchObject({ end_required: false });
});

test.each([
  [[], /nothing to change/],
  [['--cadence', '2d'], /1s to 24h/],
  [['--page-size', '0'], /1 to 5000/],
  [['--entities', 'wheat'], /accounts,contracts/],
  [['--callback-origin', 'https://a.example/path'], /callback origin must be/],
  [['--base-url', 'ftp://a.example'], /base URL must begin/],
  [['--name', ' '], /1 to 200 characters/],
])('channel set %j is refused', async (options, message) => {
  const before = await channel();
  const { exitCode, stderr } = await set(...options);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(await channel()).toEqual(before);
});

test('an unknown channel', async () => {
  expect((await desk.gdx(['channel', 'set', 'nobody', '--name', 'x'])).stderr).toMatch(/no channel nobody/);
  expect((await desk.gdx(['subscriptions', 'nobody'])).stderr).toMatch(/no channel nobody/);
  expect((await desk.gdx(['consents', 'verify', 'nobody'])).stderr).toMatch(/no channel nobody/);
});

test('subscriptions and their ledger', async () => {
  expect((await desk.gdx(['subscriptions', ACME])).stderr).toMatch(/Nothing is shared/);
  await share('42-1');
  await share('42-2');
  const list = (await desk.gdx(['subscriptions', ACME, '--json'])).json();
  expect(list.data).toMatchObject([{ account: '42-1', phone_ending: '42' }, { account: '42-2' }]);
  const table = await desk.gdx(['subscriptions', ACME]);
  expect(table.stdout).toMatch(/42-1 +p\?\[31m/);

  const refused = await set('--entities', 'accounts,settlements');
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/not agreed/)]);
  expect((await set('--entities', 'accounts,tickets')).exitCode).toBe(0);

  const verify = (...more: string[]) => desk.gdx(['consents', 'verify', ...more]);
  const good = await verify('--json');
  expect([good.exitCode, good.json().data]).toEqual([0, [expect.objectContaining({ ok: true, links: 2 })]]);
  const [{ head }] = good.json().data;
  expect((await verify('--head', `${ACME}/2:${head}`)).exitCode).toBe(0);
  const cut = await verify('--head', `${ACME}/3:${head}`, '--json');
  expect([cut.exitCode, cut.stderr]).toEqual([1, expect.stringMatching('the end was cut off')]);
  const log = path.join(temporaryFolder('heads'), 'alerts.log');
  writeFileSync(log, `a day: ${ACME}/2:${head}\nanother: ${ACME}/3:${head}, kept\n`);
  expect((await verify('--heads', log)).stderr).toMatch('the end was cut off');
  // A channel that is gone had its ledger.
  expect((await verify('--head', `gone/1:${head}`)).stderr).toMatch(/^gdx: the ledger of gone is broken/);
  const [key] = (await desk.gdx(['secrets', 'ledger-key', '--json'])).json().data;
  expect(cut.json().public_keys).toEqual([{ id: key.id, ed25519: key.ed25519 }]);
  const entries = desk.store.db.collection<{ _id: string }>('consents');
  await entries.updateOne({ _id: `${ACME}/2` }, { $set: { account: '42-9' } });
  const bad = await verify(ACME);
  expect([bad.exitCode, bad.stderr]).toEqual([
    1,
    expect.stringMatching(`broken at entry ${ACME}/2: its content`),
  ]);
});
