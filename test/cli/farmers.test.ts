import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { createPostHeads } from '../../activities/post-heads';
import { findChannel } from '../../store/channels/channels';
import { readStop } from '../../store/consent/farmer-notices';
import { farmerOf, listGranted } from '../../store/consent/subscriptions';
import { addHashKey, dropPreviousHashKey } from '../../store/secrets/hash-key';
import { gdxHere } from './gdx-here';
import { startDesk, type Desk } from './start-desk';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { confirmDeletion } from '../../store/sharing/deletions';
import { runProgram } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';
import { beginCatchUps } from '../../store/markers/catch-ups';
import { verifyConsents } from '../../store/consent/verify-consents';
import { readCeiling } from '../../store/records/counters';
import { markerId, skipMarker, startMarker } from '../../store/markers/markers';
import { eraseFarmer } from '../../control/erase-farmer';
import { listConsents } from '../../store/consent/consents';
import { farmerNotices } from '../../store/consent/farmer-notices';
import { readUnposted } from '../../store/consent/erasures';
import { findFarmerId } from '../../store/consent/farmers';
import { farmerIdOf } from '../setup/farmer-id-of';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import {
  accountsOf,
  type Farmers,
  OTHER_PHONE,
  PHONE,
  pushAccounts,
  startFarmers,
} from '../farmer/start-farmers';
import { slowTest, nightlyTest } from '../setup/cases';
import { rowsIn, type Visitor } from '../farmer/visitor';

let desk: Desk;
let farmers: Farmers;

describe('channel set and ledgers', () => {
  const ACME = `acme-${randomBytes(4).toString('hex')}`;

  beforeAll(async () => {
    desk = await startDesk();
    const add = '--name Acme --base-url http://127.0.0.1:9 --scope subscribed --all-companies'.split(' ');
    expect((await desk.gdx(['channel', 'add', ACME, ...add])).exitCode).toBe(0);
  });

  const set = (...options: string[]) => desk.gdx(['channel', 'set', ACME, ...options]);
  const channel = async () => (await findChannel(desk.store, ACME))!;

  const keyOf = (account: string) => {
    const who = { channel: ACME, partner_id: 'p\u001b[31m', farmer: farmerOf(desk.store, '7015550142') };
    return { ...who, account };
  };
  async function share(account: string, earlier = true): Promise<void> {
    await grantAccounts(desk.store, await channel(), [keyOf(account)], '42', earlier);
  }

  slowTest('channel set changes what is named, and nothing else', async () => {
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
    expect(off.json()).toMatchObject({ end_required: false, companies: [] });
    expect((await set('--name', 'Acme')).stdout).toMatch(/^companies +all$/m);
  });

  test.each([
    [[], /nothing to change/],
    [['--cadence', '2d'], /1s to 24h/],
    [['--page-size', '0'], /1 to 5000/],
    [['--entities', 'wheat'], /accounts,contracts/],
    [['--callback-origin', 'https://a.example/path'], /callback origin must be/],
    [['--base-url', 'ftp://a.example'], /base URL must begin/],
    [['--name', ' '], /1 to 200 characters/],
    [['--scope', 'all'], /unknown option '--scope'/],
    [['--company', '43'], /unknown option '--company'/],
    [['--all-companies'], /unknown option '--all-companies'/],
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

  test('what is shared no longer, and what its customer has said of it; listing it asks nobody', async () => {
    const ended = async () => (await desk.gdx(['subscriptions', ACME, '--ended', '--json'])).json().data;
    expect((await desk.gdx(['subscriptions', ACME, '--ended'])).stderr).toMatch(/Nobody has stopped sharing/);
    await share('42-8');
    await revokeAccounts(desk.store, [keyOf('42-8')]);
    for (let time = 0; time < 2; time++)
      expect(await ended()).toMatchObject([
        { account: '42-8', delete: true, asked_at: null, confirmed_at: null, phone_ending: '42' },
      ]);
    await confirmDeletion(desk.store, await channel(), '42-8', 'said');
    expect(await ended()).toMatchObject([{ asked_at: expect.any(String), confirmed_at: expect.any(String) }]);
    const { stdout } = await desk.gdx(['subscriptions', ACME, '--ended']);
    expect(stdout).toMatch(
      /ENDED_AT +LAST_SENT_AT +DELETE +ASKED_AT +CONFIRMED_AT[^]*42-8 .*yes( +2\S+Z){2} +42$/m,
    );
    await desk.store.db.collection('subscriptions').deleteMany({ channel: ACME });
    await desk.store.db.collection('consents').deleteMany({ channel: ACME });
  });

  slowTest('subscriptions and their ledger', async () => {
    expect((await desk.gdx(['subscriptions', ACME])).stderr).toMatch(/Nothing is shared/);
    await share('42-1');
    await share('42-2', false);
    const list = (await desk.gdx(['subscriptions', ACME, '--json'])).json();
    expect(list.data).toMatchObject([
      { account: '42-1', earlier: true, phone_ending: '42' },
      { account: '42-2', earlier: false },
    ]);
    const table = await desk.gdx(['subscriptions', ACME]);
    expect(table.stdout).toMatch(/42-1 +p\\u001b\[31m +2\S+Z +yes/);
    expect(table.stdout).toMatch(/42-2 +p\\u001b\[31m +2\S+Z +no/);

    const refused = await set('--entities', 'accounts,settlements');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/not agreed/) });
    expect((await set('--entities', 'accounts,tickets')).exitCode).toBe(0);

    const verify = (...more: string[]) => desk.gdx(['consents', 'verify', ...more]);
    const good = await verify('--json');
    expect([good.exitCode, good.json().data]).toEqual([0, [expect.objectContaining({ ok: true, links: 2 })]]);
    const [{ head }] = good.json().data;
    expect((await verify('--head', `${ACME}/2:${head}`)).exitCode).toBe(0);
    const cut = await verify('--head', `${ACME}/3:${head}`, '--json');
    expect(cut).toMatchObject({ exitCode: 1, stderr: expect.stringMatching('the end was cut off') });
    const log = path.join(temporaryFolder('heads'), 'alerts.log');
    writeFileSync(log, `a day: ${ACME}/2:${head}\nanother: ${ACME}/3:${head}, kept\n`);
    expect((await verify('--heads', log)).stderr).toMatch('the end was cut off');
    const piped = `'${process.execPath}' dist/cli/main.js consents verify --heads - < '${log}'`;
    expect((await runProgram('bash', ['-c', piped], desk.env)).err).toMatch('the end was cut off');
    // A channel that is gone had its ledger.
    expect((await verify('--head', `gone/1:${head}`)).stderr).toMatch(/^gdx: the ledger of gone is broken/);
    const [key] = (await desk.gdx(['secrets', 'ledger-key', '--json'])).json().data;
    expect(cut.json().public_keys).toEqual([{ id: key.id, ed25519: key.ed25519 }]);
    const entries = desk.store.db.collection<{ _id: string }>('consents');
    await entries.updateOne({ _id: `${ACME}/2` }, { $set: { account: '42-9' } });
    const bad = await verify(ACME);
    expect(bad).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(`broken at entry ${ACME}/2: its content`),
    });
  });
});

describe('subscriptions revoke', () => {
  const ACME = `acme-${randomBytes(4).toString('hex')}`;
  const REASON = ['--reason', 'Ruth Meyer called, phone lost; known by her account number'];

  beforeAll(async () => {
    desk = await startDesk();
    const add = '--name Acme --base-url http://127.0.0.1:9 --scope subscribed --all-companies'.split(' ');
    expect((await desk.gdx(['channel', 'add', ACME, ...add])).exitCode).toBe(0);
    await desk.pushTickets(2); // of account 42-1001
  });

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
    // A page that was being saved shares nothing more.
    for (const phone of ['7015550142', '7015550199'])
      expect(await readStop(desk.store, farmerOf(desk.store, phone))).not.toBeNull();
    expect(await catchUps('42-1001')).toBe(0);
    expect(await desk.signals(ACME)).toContain('subscriptionsChanged');

    const written = await entries();
    expect(written).toMatchObject([
      { act: 'revoke', account: '42-1001', partner_id: 'policy-1', reason: REASON[1], channel_name: 'Acme' },
      {
        act: 'revoke',
        account: '42-1001',
        partner_id: 'policy-2',
        farmer: farmerOf(desk.store, '7015550199'),
      },
    ]);
    expect(written.map(({ request_id }) => request_id)).toEqual([answer.request_id, answer.request_id]);
    const { data: actions } = (await desk.gdx(['actions', '--channel', ACME, '--json'])).json();
    expect(actions[0].request_id).toBe(answer.request_id);
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
    expect(nobody).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/no channel nobody/) });
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
});

describe('forgotten', () => {
  // A real page, and gdx, on one database.
  beforeEach(async () => {
    desk = await startDesk();
    farmers = await startFarmers({ store: desk.store });
    await pushAccounts(farmers, accountsOf(PHONE, 2));
    await pushAccounts(farmers, accountsOf(OTHER_PHONE, 1, 9));
  });

  async function share(phone: string, ...account: string[]): Promise<Visitor> {
    return farmers.share(account, { phone });
  }
  const ticked = ({ page }: Visitor) => rowsIn(page.html).flatMap((row) => (row.ticked ? row.id : []));
  const shared = async () => (await listGranted(desk.store, 'acme')).map(({ account }) => account).sort();
  const hashKey = async (...options: string[]) => {
    const run = await desk.gdx(['secrets', 'hash-key', ...options, '--json']);
    return run.exitCode === 0 ? run.json() : run.stderr;
  };

  test('a farmer is erased: revoked first, then forgotten, and only that farmer', async () => {
    const visitor = await share(PHONE, '42-1', '42-2');
    await share(OTHER_PHONE, '42-9');
    const id = await farmerIdOf(desk.store, PHONE);
    const erase = (...options: string[]) =>
      desk.gdx(['farmer', 'erase', '(701) 555-0142', '--reason', 'letter of 1 November', ...options]);

    const preview = (await erase('--dry-run', '--json')).json();
    expect(preview).toMatchObject({ dry_run: true, granted: 2, subscriptions: 2, links: 1 });
    expect(await shared()).toEqual(['42-1', '42-2', '42-9']);

    const untold = () => farmerNotices(desk.store).find({ _id: id }).toArray();
    expect(await untold()).toMatchObject([{ begun: [] }]);
    const run = await erase('--json');
    expect(run.json()).toEqual({
      ...{ revoked: 2, subscriptions: 2, sessions: 2, codes: 0, links: 1 },
      left: {
        ledger_entries: 2,
        accounts: ['42-1', '42-2'].map((account) => ({ account, company: 'Prairie Co-op' })),
      },
    });
    expect([await shared(), await untold()]).toEqual([['42-9'], [{ _id: id, erased: true }]]);
    expect(await desk.signals('acme')).toContain('subscriptionsChanged');
    await visitor.get('/subscriptions/accounts');
    expect(visitor.text).not.toContain('Meyer Farms');

    // The ledger holds and says that it was revoked; nothing leads from the phone to it.
    const entries = await listConsents(desk.store, { channel: 'acme', partner_id: 'policy-1', farmer: id });
    expect(entries.map(({ act }) => act)).toEqual(['grant', 'grant', 'revoke', 'revoke']);
    expect(await verifyConsents(desk.store, 'acme')).toMatchObject({ ok: true });
    const kept = await Promise.all((await desk.store.db.collections()).map((one) => one.find().toArray()));
    const text = JSON.stringify(kept.flat().filter((one) => !('wire' in one)));
    for (const trace of [PHONE, 'phone_ending":"42"']) expect(text).not.toContain(trace);

    const again = await erase();
    expect(again).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Nothing is left to erase\.\n.*ask each to remove it in its ERP/),
    });
    expect(await farmerIdOf(desk.store, PHONE)).not.toBe(id);
    await share(PHONE, '42-1'); // as anybody who comes for the first time
    expect(await shared()).toEqual(['42-1', '42-9']);
  });

  slowTest('that one channel of several was not signalled is said, whichever it was', async () => {
    await share(PHONE, '42-1');
    await addTestChannel(desk.store, 'bank', 'https://bank.example', { scope: 'subscribed' });
    const farmer = await farmerIdOf(desk.store, PHONE);
    const key = { channel: 'bank', partner_id: 'loan-1', farmer, account: '42-1' };
    await grantAccounts(desk.store, (await findChannel(desk.store, 'bank'))!, [key]);
    let asked = 0;
    const subscriptionsChanged = async () => ++asked > 1;
    const temporal = { ...hearingSignals().temporal, subscriptionsChanged };
    const why = { reason: 'letter', request_id: 'test' };
    const erased = await eraseFarmer({ store: desk.store, temporal }, PHONE, why);
    expect([asked, erased]).toEqual([2, expect.objectContaining({ revoked: 2, signalled: false })]);
  });

  describe('after a restore', () => {
    const ERASE = ['farmer', 'erase', '--reason', 'restored'];
    const out: string[] = [];
    const log = pino({}, { write: (line) => void out.push(line) });
    const postHeads = async () => createPostHeads({ store: desk.store, log })([], new Date());
    const known = async (phone: string) => (await findFarmerId(desk.store, phone)) !== undefined;
    const dump = async () =>
      Promise.all(
        (await desk.store.db.collections()).map(async (from) => ({ from, all: await from.find().toArray() })),
      );
    async function restore(backup: Awaited<ReturnType<typeof dump>>): Promise<void> {
      for (const { from, all } of backup) {
        await from.deleteMany({});
        if (all.length > 0) await from.insertMany(all);
      }
    }
    function fileOf(text: string): string {
      const file = path.join(temporaryFolder('heads'), 'alerts.log');
      writeFileSync(file, text);
      return file;
    }
    const fromHeads = (text: string, ...more: string[]) =>
      desk.gdx([...ERASE, '--from-heads', fileOf(text), '--json', ...more]);

    slowTest(
      'a restore brings back whom the heads that were posted erase again, and nobody else',
      async () => {
        out.splice(0);
        await share(PHONE, '42-1');
        await share(OTHER_PHONE, '42-9');
        const backup = await dump();
        expect((await desk.gdx([...ERASE, PHONE, '--json'])).json()).toMatchObject({ revoked: 1, links: 1 });
        await postHeads();
        await restore(backup);
        expect([await shared(), await known(PHONE)]).toEqual([['42-1', '42-9'], true]);

        const posted = out.join('');
        expect((await fromHeads(posted, '--dry-run')).json()).toMatchObject({ named: 1, farmers: 1 });
        expect([await shared(), await known(PHONE)]).toEqual([['42-1', '42-9'], true]);
        const again = await fromHeads(posted);
        expect(again.json()).toEqual({
          ...{ named: 1, farmers: 1, revoked: 1, subscriptions: 1, sessions: 2, codes: 0, links: 1 },
        });
        expect([await shared(), await known(PHONE), await known(OTHER_PHONE)]).toEqual([
          ['42-9'],
          false,
          true,
        ]);
        expect(await verifyConsents(desk.store, 'acme')).toMatchObject({ ok: true });
        expect((await fromHeads(posted)).json()).toMatchObject({ named: 1, farmers: 0 });
        // It goes out again, under the same number, and the next erasure has the next one.
        out.splice(0);
        await desk.gdx([...ERASE, OTHER_PHONE, '--yes']);
        await postHeads();
        const numbers = (text: string) => text.match(/erased:\d+:[0-9a-f]{64}:[0-9a-f]{16}/g);
        expect(numbers(out.join(''))).toEqual([...numbers(posted)!, expect.stringMatching(/^erased:2:/)]);
      },
    );

    slowTest('the number of a farmer who is not in the backup is kept, too', async () => {
      out.splice(0);
      const backup = await dump();
      await share(PHONE, '42-1');
      await desk.gdx([...ERASE, PHONE, '--yes']);
      await postHeads();
      await restore(backup);
      await desk.store.db.collection('erasures').deleteMany({});
      expect((await fromHeads(out.join(''))).json()).toMatchObject({ named: 1, farmers: 0 });
      await share(OTHER_PHONE, '42-9');
      await desk.gdx([...ERASE, OTHER_PHONE, '--yes']);
      expect((await readUnposted(desk.store)).map(({ _id }) => _id)).toEqual([1, 2]);
    });

    nightlyTest('a file that is cut off, changed or of another service erases nobody', async () => {
      out.splice(0);
      await share(PHONE, '42-1');
      await share(OTHER_PHONE, '42-9');
      const backup = await dump();
      for (const phone of [PHONE, OTHER_PHONE]) await desk.gdx([...ERASE, phone, '--yes']);
      await postHeads();
      await restore(backup);
      const posted = out.join('');
      const [first, second] = posted.match(/erased:[0-9a-f:]+/g)!;
      const refused: [string, string, RegExp][] = [
        ['cut off', posted.slice(0, posted.indexOf(second!) + 60), /^gdx: an entry is cut off \(erased:2:/],
        ['its first lines are gone', second!, /^gdx: erasure 1 is missing, and 2 is named; /],
        [
          'another service',
          first!.replace(/:[0-9a-f]{16}$/, ':0123456789abcdef'),
          /not made by this service’s key/,
        ],
        ['another number', first!.replace(':1:', ':2:'), /not made by this service’s key/],
        ['another farmer', `${first!.slice(0, 9)}${second!.slice(9)}`, /not made by this service’s key/],
        ['not heads', 'alerts of acme', /neither heads nor erasures/],
      ];
      for (const [what, text, says] of refused) {
        const { exitCode, stderr } = await fromHeads(text);
        expect([what, exitCode, stderr]).toEqual([what, 1, expect.stringMatching(says)]);
      }
      expect((await desk.gdx([...ERASE, PHONE, '--from-heads', fileOf(posted)])).exitCode).toBe(2);
      expect((await desk.gdx(ERASE)).exitCode).toBe(2);
      expect((await fromHeads(`acme/1:${'0'.repeat(64)}`)).json()).toMatchObject({ named: 0, farmers: 0 });
      expect(await shared()).toEqual(['42-1', '42-9']);
    });

    slowTest(
      'what was recorded names no phone and no partner_id after an erasure, as little in what is older',
      async () => {
        await share(PHONE, '42-1');
        const actions = desk.store.db.collection<{ _id: string }>('operator_actions');
        const old = { by: 'maria', via: 'gdx', request_id: 'r', at: new Date(), outcome: 'Done.' };
        const one = (_id: string, action: string, rest: object) => ({ _id, action, ...old, ...rest });
        await actions.insertMany([
          one('a', 'farmer unlock', {
            ...{
              channel: null,
              about: 'the phone ending in 42',
              before: {},
              reason: 'called from (701) 555-0142',
            },
          }),
          one('b', 'subscriptions revoke', {
            ...{ channel: 'acme', about: '42-1', before: { shared: ['policy-1, …42'] } },
            ...{ reason: 'policy-1 has ended', outcome: 'Not done: not under policy-1.' },
          }),
          one('c', 'pause', { channel: 'acme', about: '', before: {}, reason: 'policy-12 of 1701555014299' }),
          one('d', 'pause', {
            channel: 'bank',
            about: '',
            before: {},
            reason: 'policy-1 there is another’s',
          }),
        ]);
        await desk.gdx([...ERASE, PHONE, '--yes']);
        const [a, b, c, d] = await actions
          .find({ _id: { $in: ['a', 'b', 'c', 'd'] } }, { sort: { _id: 1 } })
          .toArray();
        expect([a, b, c, d]).toMatchObject([
          { about: '', reason: 'called from ([erased]' },
          {
            ...{ about: '42-1', before: { grants: 1 }, reason: '[erased] has ended' },
            outcome: 'Not done: not under [erased].',
          },
          { reason: 'policy-12 of 1701555014299' },
          { reason: 'policy-1 there is another’s' },
        ]);
      },
    );
  });

  slowTest.each([
    ['subscriptions', 'deleteMany', 2],
    ['erasures', 'insertOne', 0],
    ['farmers', 'deleteMany', 0],
  ])('an erasure that was cut off at %s is finished by the next', async (at, call, subscriptions) => {
    await share(PHONE, '42-1', '42-2');
    const { temporal } = hearingSignals();
    const why = { reason: 'letter', request_id: 'test' };
    const store = rewire(desk.store, async ({ collection, method, run }) => {
      if (collection === at && method === call) throw new Error('cut off');
      return run();
    });
    await expect(eraseFarmer({ store, temporal }, PHONE, why)).rejects.toThrow('cut off');
    const erased = await eraseFarmer({ store: desk.store, temporal }, PHONE, why);
    expect(erased).toMatchObject({ revoked: 0, subscriptions, links: 1 });
    expect(await readUnposted(desk.store)).toHaveLength(1);
  });

  // The last ones: the store of this file goes on with the key of before.
  nightlyTest(
    'the key that hashes phones is exchanged: grants and receipts are found by both, then by the new one',
    async () => {
      await share(PHONE, '42-1');
      await share(OTHER_PHONE, '42-9');
      const before = await hashKey();
      expect(before).toMatchObject({ previous: null, farmers: 2, by_previous: 0 });
      const exchanged = await hashKey('--new');
      expect(exchanged).toMatchObject({
        previous: before.current,
        farmers: 2,
        by_previous: 2,
        of_these_sharing: 2,
      });
      expect(await hashKey('--new')).toMatch(/two keys are in use already/);

      // The API was started with the key before, and runs on.
      expect(ticked(await farmers.verified())).toEqual(['42-1']);
      expect(await hashKey()).toMatchObject({ farmers: 2, by_previous: 1, of_these_sharing: 1 });
      expect(await hashKey('--drop-previous')).toMatch(/1 farmer who share are still hashed/);

      const other = await share(OTHER_PHONE);
      expect(await shared()).toEqual(['42-1']);
      expect(await hashKey('--drop-previous')).toMatchObject({
        current: exchanged.current,
        previous: null,
        farmers: 2,
      });
      await other.get('/subscriptions/receipt');
      for (const reference of ['acme-3', 'acme-4']) expect(other.page.html).toContain(reference);
      const visitor = await farmers.verified();
      expect(ticked(visitor)).toEqual(['42-1']);
      expect(await verifyConsents(desk.store, 'acme')).toMatchObject({ ok: true });
    },
  );

  slowTest('a key is not dropped where the keys were exchanged again while the question stood', async () => {
    await hashKey('--new');
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    terminal.once('resume', async () => {
      await share(PHONE, '42-1');
      await dropPreviousHashKey(desk.store);
      await addHashKey(desk.store);
      terminal.end('y\n');
    });
    const run = await gdxHere(['secrets', 'hash-key', '--drop-previous'], desk.env, terminal);
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/1 farmer who share are still/) });
    expect(ticked(await farmers.verified())).toEqual(['42-1']);
    expect(await hashKey('--new', '--drop-previous')).toMatch(/cannot be used with/);
  });
});
