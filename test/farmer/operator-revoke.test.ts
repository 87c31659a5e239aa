import { randomBytes } from 'node:crypto';
import { beginCatchUps } from '../../store/feed/catch-ups';
import { findChannel } from '../../store/feed/channels';
import { verifyConsents } from '../../store/sharing/verify-consents';
import { readCeiling } from '../../store/push/counters';
import { markerId, skipMarker, startMarker } from '../../store/feed/markers';
import { farmerOf, listGranted } from '../../store/sharing/subscriptions';
import { startDesk, type Desk } from '../cli/start-desk';
import { grantAccounts } from '../setup/share-accounts';

const ACME = `acme-${randomBytes(4).toString('hex')}`;
const REASON = ['--reason', 'Ruth Meyer called, phone lost; known by her account number'];

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
  await desk.pushTickets(2); // of account 42-1001
});
afterAll(() => desk.close([ACME]));

beforeEach(async () => {
  await share('7015550142', 'policy-1', '42-1001', '42-1002');
  await share('7015550199', 'policy-2', '42-1001');
});

async function share(phone: string, partner_id: string, ...accounts: string[]): Promise<void> {
  const who = { channel: ACME, partner_id, farmer: farmerOf(desk.store, phone) };
  const keys = accounts.map((account) => ({ ...who, account }));
  await grantAccounts(desk.store, (await findChannel(desk.store, ACME))!, keys, phone.slice(-2));
}

/** As a plan of tickets does, when the marker has passed what is stored. */
async function beginTickets(): Promise<void> {
  const position = await readCeiling(desk.store, 'tickets');
  await startMarker(desk.store, ACME, 'tickets', position);
  await skipMarker(desk.store, { id: markerId(ACME, 'tickets'), epoch: 0 }, position);
  await desk.store.client.withSession({ causalConsistency: true }, (session) =>
    beginCatchUps(desk.store, ACME, 'tickets', session),
  );
}

const revoke = (...options: string[]) => desk.gdx(['subscriptions', 'revoke', ACME, ...options]);
const shared = async () =>
  [...new Set((await listGranted(desk.store, ACME)).map(({ account }) => account))].sort();
const catchUps = (account: string) => desk.store.db.collection('markers').countDocuments({ account });
const entries = () =>
  desk.store.db.collection('consents').find({ by: 'operator' }).sort({ number: 1 }).toArray();

test('ends what everybody shares of an account, at once, on the farmer’s word', async () => {
  await beginTickets();
  expect(await catchUps('42-1001')).toBe(1);
  const run = await revoke('--account', '42-1001', ...REASON, '--json');
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  const answer = run.json();
  expect(answer).toMatchObject({ channel: ACME, account: '42-1001', ended: 2, still_shared: false });
  expect(await shared()).toEqual(['42-1002']);
  expect(await catchUps('42-1001')).toBe(0);
  expect(await desk.signals(ACME)).toContain('subscriptionsChanged');

  const written = await entries();
  expect(written).toMatchObject([
    { act: 'revoke', account: '42-1001', partner_id: 'policy-1', reason: REASON[1], channel_name: 'Acme' },
    { act: 'revoke', account: '42-1001', partner_id: 'policy-2', farmer: farmerOf(desk.store, '7015550199') },
  ]);
  expect(written.map(({ request_id }) => request_id)).toEqual([answer.request_id, answer.request_id]);
  expect(answer.reference).toBe(`${ACME}-${written[1]!['number']}`);
  const links = await desk.store.db.collection('consents').countDocuments({ channel: ACME });
  expect(await verifyConsents(desk.store, ACME)).toMatchObject({ ok: true, links });
});

test('of one farmer only: what another shares stays, and the operator is told', async () => {
  const run = await revoke('--account', '42-1001', '--phone-ending', '42', ...REASON, '--yes');
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  expect(run.stdout).toMatch(/ended +1\nstill_shared +yes/);
  expect(await shared()).toEqual(['42-1001', '42-1002']);
  const other = await revoke('--account', '42-1001', '--partner-id', 'policy-2', ...REASON, '--json');
  expect(other.json()).toMatchObject({ ended: 1, still_shared: false });
  expect(await shared()).toEqual(['42-1002']);
});

test('what is shared is listed of one partner_id, too', async () => {
  const { data } = (await desk.gdx(['subscriptions', ACME, '--partner-id', 'policy-2', '--json'])).json();
  expect(data).toMatchObject([{ account: '42-1001', partner_id: 'policy-2', phone_ending: '99' }]);
});

test('what cannot be done changes nothing, and says what to try', async () => {
  const before = [await shared(), (await entries()).length];
  const refused: [string[], number, RegExp][] = [
    [['--account', '42-9', ...REASON], 1, /42-9 is not shared with .*; `gdx subscriptions acme-\w+` shows/],
    [
      ['--account', '42-1002', '--phone-ending', '77', ...REASON],
      1,
      /ending in 42 under policy-1; leave out/,
    ],
    [['--account', '42-1002'], 2, /--reason/],
    [['--account', '42-1002', '--reason', ' '], 2, /1 to 200 characters/],
    [REASON, 2, /--account/],
  ];
  for (const [options, exitCode, message] of refused) {
    const run = await revoke(...options);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([exitCode, '', expect.stringMatching(message)]);
  }
  const nobody = await desk.gdx(['subscriptions', 'revoke', 'nobody', '--account', '42-1', ...REASON]);
  expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringMatching(/no channel nobody/)]);
  expect([await shared(), (await entries()).length]).toEqual(before);
});

test('the revoke holds when Temporal is away', async () => {
  const away = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const run = await desk.gdx(
    ['subscriptions', 'revoke', ACME, '--account', '42-1002', ...REASON, '--json'],
    away,
  );
  expect([run.exitCode, run.json().ended]).toEqual([0, 1]);
  expect(run.stderr).toMatch(/Temporal does not answer: the revoke holds/);
  expect(await shared()).toEqual(['42-1001']);
});
