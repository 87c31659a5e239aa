import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { findRecord } from '../../store/records/records';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { storedOf } from '../api/stored-of';
import { cases, slowTest, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { type Pushing, startPushing, startUnreliable } from './start-pushing';
import { createFeedClient } from '../../client/listen/feed-client';
import { forwardPage } from '../../client/listen/forward-page';
import { listen } from '../../client/listen/listen';
import { newSigningSecret } from '../../store/callers/tokens';
import { addTestChannel } from '../setup/add-test-channel';
import { FakeCustomer } from '../setup/fake-customer';
import { layTestPage } from '../setup/lay-test-page';

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = await integrationToken(api.store);
});

describe('push', () => {
  const MAPPING = {
    type: 'tickets',
    dates: ['MM/DD/YYYY HH:mm'],
    time_zone: 'America/Chicago',
    record: {
      id: 'Ticket #',
      account_id: 'Cust',
      net_weight: 'Net Lbs',
      weight_uom: { value: 'lb' },
      weigh_in_at: 'In',
      direction: { from: 'In/Out', values: { I: 'inbound', O: 'outbound', '*': 'keep' } },
      grade_factors: [{ result: 'Moisture', code: { value: 'MO' } }],
    },
  };
  const HEADER = 'Ticket #,Cust,Net Lbs,In,In/Out,Moisture,Note\r\n';

  let erp: Pushing;
  beforeEach(() => {
    erp = startPushing(`http://127.0.0.1:${api.port}`, token);
    erp.write('mapping.json', MAPPING);
  });

  const mapped = () => ['--mapping', erp.at('mapping.json')];
  const position = async () =>
    (await api.store.db.collection('counters').findOne({ _id: 'tickets' as never }))!['position'] as number;
  const rows = (count: number, name = 'K') =>
    Array.from(
      { length: count },
      (_, index) => `${name}-${index},1001,"1,0${(index % 90) + 10}",,I,,\r\n`,
    ).join('');

  async function ticket(id: string): Promise<unknown> {
    const { wire } = (await findRecord(api.store, 'tickets', `42-${id}`))!;
    return (JSON.parse(wire.toString()) as { ticket: unknown }).ticket;
  }

  slowTest('a CSV file as an ERP writes it, then again', async () => {
    const csv = `\ufeff${HEADER}T-1,1001,"52,340",10/20/2026 08:41,I,16.2,"a\r\nb ""c"""\r\n\r\nT-2,1001,.5,11/03/2026 17:05,X,,\r\n`;
    const file = erp.write('t.csv', csv);
    const first = await erp.push(file, ...mapped(), '--json');
    expect([first.code, JSON.parse(first.out)]).toEqual([
      0,
      {
        data: [
          {
            file,
            state: 'pushed',
            records: 2,
            changed: 2,
            unchanged: 0,
            warnings: 1,
            deleted: 0,
            deleted_ids: [],
            rows: 2,
            left_out: 0,
          },
        ],
      },
    ]);
    expect(first.err).toMatch(/t\.csv line 5 \(In\/Out\): direction is none of inbound, .*warning/);
    expect(await ticket('T-1')).toMatchObject({
      net_weight: '52340',
      weigh_in_at: '2026-10-20T08:41:00-05:00',
      direction: 'inbound',
      weight_uom: 'lb',
      grade_factors: [{ result: '16.2', code: 'MO' }],
    });
    const second = (await ticket('T-2')) as object;
    expect(second).toMatchObject({
      net_weight: '0.5',
      weigh_in_at: '2026-11-03T17:05:00-06:00',
      direction: 'X',
    });
    expect(Object.keys(second)).not.toContain('grade_factors');
    const again = await erp.push(file, ...mapped());
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^FILE .*\n.* pushed before +2 /)]);
    const anew = await erp.push(file, ...mapped(), '--again', '--json');
    expect(JSON.parse(anew.out)).toMatchObject({ data: [{ state: 'pushed', changed: 0, unchanged: 2 }] });
    const elsewhere = await erp.push(file, ...mapped(), '--url', `http://localhost:${api.port}`, '--json');
    expect(JSON.parse(elsewhere.out)).toMatchObject({ data: [{ state: 'pushed', records: 2 }] });
  });

  test('the word that a type is complete is said once all files are pushed, again where they were, and not where one is refused', async () => {
    const said = async () =>
      (await api.store.db.collection('erp_words').findOne({ _id: '42/tickets' as never }))?.['said'] as
        | { through: string; position: number }[]
        | undefined;
    const file = erp.write('t.csv', HEADER + rows(2, 'W'));
    const say = (day: string, ...more: string[]) =>
      erp.push(file, ...more, ...mapped(), '--complete-through', day);
    expect(await say('2999-01-01')).toMatchObject({
      code: 2,
      err: expect.stringContaining('must not lie in the future'),
    });
    expect(await say('2026-11-28', erp.write('wrong.csv', 'Cust\r\n1001\r\n'))).toMatchObject({ code: 1 });
    mkdirSync(erp.at('empty'));
    writeFileSync(erp.at('empty/tickets.csv.gz'), '');
    expect(
      await erp.push(erp.at('empty'), ...mapped(), '--complete-through', '2026-11-28', '--json'),
    ).toMatchObject({
      code: 1,
      err: expect.stringMatching(/it is not said that tickets are complete through 2026-11-28; see why/),
    });
    expect((await say('2026-11-28', '--dry-run')).err).toContain(
      'would say that they are complete through 2026-11-28',
    );
    expect(await said()).toBeUndefined();
    expect((await say('2026-11-28')).err).toContain(
      'tickets: said that they are complete through 2026-11-28',
    );
    expect(await said()).toEqual([{ through: '2026-11-28', position: await position() }]);
    expect((await say('2026-11-29')).out).toContain('pushed before');
    expect((await say('2026-11-29')).code).toBe(0);
    expect((await said())!.map(({ through }) => through)).toEqual(['2026-11-28', '2026-11-29']);
  });

  slowTest('JSON and NDJSON, with a mapping and without, and a folder of them', async () => {
    erp.write('plain.json', { type: 'accounts' });
    erp.write('a.ndjson', '{"id":"J-1","name":"{Meyer}"}\n\n{"id":"J-2","name":"O\\"Brien ]"}\n');
    erp.write('b.json', [{ id: 'J-3', name: 'Ruiz', phones: [{ phone: '7015550142' }] }]);
    const whole = await erp.push(erp.folder, '--mapping', erp.at('plain.json'), '--json');
    // The folder has the mappings too, which are no records: each file is judged alone.
    const pushed = (JSON.parse(whole.out) as { data: { records: number }[] }).data;
    expect([whole.code, pushed.map(({ records }) => records)]).toEqual([1, [2, 1]]);
    expect(await findRecord(api.store, 'accounts', '42-J-2')).not.toBeNull();
    erp.write('columns.json', { type: 'accounts', record: { id: 'no', name: 'full', phones: ['tel'] } });
    const file = erp.write('c.jsonl', '{"no":"J-4","full":"Lind","tel":"(701) 555-0143","more":1}');
    expect((await erp.push(file, '--mapping', erp.at('columns.json'))).code).toBe(0);
    expect((await findRecord(api.store, 'accounts', '42-J-4'))?.phones).toEqual(['7015550143']);
  });

  slowTest(
    'nothing is sent of a file with a bad line in the middle, and all of it when it is corrected',
    async () => {
      const [head, tail] = [Buffer.from(`${HEADER}${rows(300, 'B')}`), Buffer.from(rows(300, 'E'))];
      const bad = Buffer.from('M-1,1001,1,,M\xfcller,,\r\n', 'latin1'); // as Windows writes it
      const before = await storedOf(api.store);
      const { code, out, err } = await erp.push(
        erp.write('w.csv', Buffer.concat([head, bad, tail])),
        ...mapped(),
      );
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(
        /^gdx: .*line 302, column 14: byte 0xfc is not UTF-8.*; .*nothing of it was sent$/m,
      );
      expect(await storedOf(api.store)).toEqual(before);
      expect(erp.hasCheckpoint('w.csv')).toBe(false);
      const file = erp.write('w.csv', Buffer.concat([head, Buffer.from(bad.toString('latin1')), tail]));
      const { out: told } = await erp.push(file, ...mapped(), '--json');
      expect(JSON.parse(told)).toMatchObject({ data: [{ records: 601, changed: 601 }] });
    },
  );

  test('a heading and a cell that move the cursor are spelled out, whatever is said of the file', async () => {
    const file = erp.write(
      'h.csv',
      'Ticket #,"Cu\u202est\u009b2J\nb",Net Lbs\nT\u001b[2J-1,10\u202e01,x\u009by\nT-2,10\u202e01,5\n',
    );
    const record = { id: 'Ticket #', account_id: 'Cu\u202est\u009b2J\nb', net_weight: 'Net Lbs' };
    const mapping = erp.write('hostile.json', { type: 'tickets', record });
    const said = [
      await erp.push(file, '--mapping', mapping, '--show', '1'),
      await erp.push(file, '--draft', 'tickets'),
      await erp.push(file, '--mapping', mapping),
      await erp.push(file, '--mapping', mapping, '--json'),
    ];
    for (const { out, err } of said) expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]|\nb: /u);
    expect(said[0]!.out).toContain('Cu\\u202est\\u009b2J\\u000ab: 10\\u202e01');
  });

  test('a dry run is checked by the service and leaves no trace', async () => {
    const before = await storedOf(api.store);
    const file = erp.write('dry.csv', `${HEADER}${rows(50, 'D')}D-x,1001,1,,odd,,\r\n`);
    const { code, out } = await erp.push(file, ...mapped(), '--dry-run', '--batch', '20', '--json');
    const counted = { records: 51, rows: 51, left_out: 0, warnings: 1, deleted: 0, deleted_ids: [] };
    const data = [{ file, state: 'checked', changed: null, unchanged: null, ...counted }];
    expect([code, JSON.parse(out)]).toEqual([0, { data }]);
    expect(await storedOf(api.store)).toEqual(before);
    expect(erp.hasCheckpoint('dry.csv')).toBe(false);
  });

  slowTest('kill -9 loses and doubles nothing', async () => {
    const before = await position();
    const file = erp.write('killed.csv', `${HEADER}${rows(400)}`);
    const args = [...mapped(), '--batch', '10'];
    expect(await erp.pushKilled('killed.csv', args, cases(2, 5))).toBeGreaterThan(0);
    const { code, out, err } = await erp.push(file, ...args, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { data: [{ records: 400, changed: 400, unchanged: 0 }] },
    ]);
    expect(err).toMatch(/continues after \d+ of 400 records/);
    expect(await position()).toBe(before + 400);
  });

  slowTest(
    'an answer that is lost and a service that is busy are tried again under the same request id',
    async () => {
      const spoilt = await startUnreliable(api.port, (count) => (['lost', 'busy'] as const)[count - 2]);
      const before = await position();
      const through = startPushing(spoilt.url, token);
      through.write('mapping.json', MAPPING);
      const file = through.write('t.csv', `${HEADER}${rows(30, 'L')}`);
      const { code, out, err } = await through.push(
        file,
        '--mapping',
        through.at('mapping.json'),
        '--batch',
        '10',
        '--json',
      );
      expect([code, JSON.parse(out)]).toMatchObject([0, { data: [{ changed: 30, unchanged: 0 }] }]);
      expect(err).toMatch(/does not answer \(.+\): trying again in \d s\n.*answered 503: trying again/);
      expect([spoilt.posts(), await position()]).toEqual([5, before + 30]);
    },
  );

  slowTest(
    'an older file that is held up lands on no newer one: one push of a type after the other',
    async () => {
      let isHeld = true;
      const held = await startUnreliable(api.port, (count) => (count > 1 && isHeld ? 'busy' : undefined));
      const { write, start, push, batchesDone } = startPushing(held.url, token);
      const of = (weight: number) => `${HEADER}O-1,1001,${weight},,I,,\r\nO-2,1001,${weight},,I,,\r\n`;
      const older = start(write('old.csv', of(1)), '--batch', '1', ...mapped());
      await eventually(() => expect([batchesDone('old.csv'), held.posts()]).toEqual([1, 2]));
      isHeld = false;
      const { code, err } = await push(write('new.csv', of(2)), '--batch', '1', ...mapped());
      expect([code, await older.ended]).toEqual([0, 0]);
      expect(await Promise.all([ticket('O-1'), ticket('O-2')])).toMatchObject([
        { net_weight: '2' },
        { net_weight: '2' },
      ]);
      expect(err).toContain('new.csv: waits until another push of tickets from this machine has ended');
    },
  );

  slowTest('a service that stays away ends it with 69, and the checkpoint stays', async () => {
    const away = startPushing('http://127.0.0.1:1', token);
    away.write('mapping.json', MAPPING);
    const file = away.write('t.csv', `${HEADER}${rows(3)}`);
    // One that was refused before does not hide it; those after it are not tried.
    const files = [
      away.write('bad.csv', `${HEADER}W-1,1001,one`),
      file,
      away.write('u.csv', `${HEADER}${rows(1)}`),
    ];
    const { code, err } = await away.push(
      ...files,
      '--mapping',
      away.at('mapping.json'),
      '--retry-for',
      '1s',
    );
    expect([code, err]).toEqual([
      69,
      expect.stringMatching(/does not answer .*, for 1s; .*run the same command/),
    ]);
    expect(err).toMatch(/^gdx: .*bad\.csv was not pushed/m);
    expect([away.hasCheckpoint('t.csv'), away.batchesDone('t.csv')]).toEqual([true, 0]);
    expect(away.hasCheckpoint('u.csv')).toBe(false);
  });

  nightlyTest('while a folder is watched, a service that stays away is waited for', async () => {
    const slow = await startUnreliable(api.port, (count) => (count <= 3 ? 'busy' : undefined));
    const { folder, write, start } = startPushing(slow.url, token);
    write('exported.csv', `${HEADER}A-1,1001,1,,I,,\r\n`);
    const watching = start(folder, '--watch', '--every', '1s', '--retry-for', '1s', ...mapped());
    const isStored = async () => expect(await findRecord(api.store, 'tickets', '42-A-1')).not.toBeNull();
    await eventually(isStored, 30_000).finally(() => watching.end('SIGKILL'));
  });

  slowTest('a folder that is watched: whole files only, each once, a bad one holds up none', async () => {
    const { folder, at } = startPushing('', token);
    const watching = erp.start(folder, '--watch', '--every', '1s', ...mapped());
    await watching.heard('Watching');
    const refused = () => readFileSync(at('.gdx-push/refused.txt'), 'utf8');
    expect(refused()).toBe('');
    renameSync(erp.write('b.csv', `${HEADER}W-1,1001,one`), at('b.csv'));
    renameSync(erp.write('a.csv', `${HEADER}${rows(5, 'W')}`), at('a.csv'));
    renameSync(erp.write('c.doc', 'x'), at('c.doc'));
    await watching.heard('b.csv was not pushed');
    await watching.heard('a.csv: pushed; 5 records');
    expect(refused()).toMatch(/^\S+Z .*b\.csv was not pushed: .*\n$/);
    renameSync(erp.write('b.csv', `${HEADER}W-9,1001,1,,I,,\r\n`), at('b.csv'));
    await watching.heard('b.csv: pushed; 1 records');
    expect(await findRecord(api.store, 'tickets', '42-W-9')).not.toBeNull();
    expect(refused()).toBe('');
    expect(await watching.end('SIGTERM')).toBe(75);
    const said = watching.lines.filter((line) => /a\.csv: pushed|c\.doc is passed over/.test(line));
    expect(said).toHaveLength(2);
    expect(watching.lines.filter((line) => !/^\d{4}-\d\d-\d\dT\S+Z /.test(line))).toEqual([]);
  });

  describe('the token', () => {
    const file = () => erp.write('t.csv', `${HEADER}${rows(1)}`);
    const reason = async (as: string, ...args: string[]) =>
      (await startPushing(`http://127.0.0.1:${api.port}`, as).push(file(), ...mapped(), ...args)).err;

    slowTest('comes from the environment or a file, and is never shown', async () => {
      erp.write('token', `${token}\n`);
      expect(await reason('', '--token-file', erp.at('token'))).toMatch(
        /^\S+: not in the mapping, and left out: Note\n$/,
      );
      expect(await reason('')).toMatch(/there is no token; put it into GDX_TOKEN/);
      expect(await reason('hunter2')).toMatch(/this is not an ERP token/);
      const wrong = token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
      expect(await reason(wrong)).toMatch(
        /refused lines 2 to 2 with 401 UNAUTHENTICATED .*; check the token/,
      );
      expect(await reason(wrong)).not.toContain(wrong);
      const stored = readFileSync(erp.at('.gdx-push/t.csv.json'), 'utf8');
      expect(stored).not.toContain(token);
    });

    test('goes nowhere unencrypted in production', async () => {
      const live = token.replace('_test_', '_live_');
      expect(await reason(live, '--url', 'http://grain.example')).toMatch(
        /would carry the token unencrypted; say https/,
      );
    });
  });

  slowTest('a file that is not a checkpoint is not believed', async () => {
    const file = erp.write('t.csv', `${HEADER}${rows(2)}`);
    await erp.push(file, ...mapped());
    erp.write('.gdx-push/t.csv.json', '{"run":"x"}');
    const { code, err } = await erp.push(file, ...mapped());
    expect([code, err]).toEqual([1, expect.stringMatching(/is not a checkpoint; remove it/)]);
  });
});

describe('listen', () => {
  const serviceOf = (token: string) => ({
    ...{ url: `http://127.0.0.1:${api.port}`, token, retryForMs: 0, onWait: () => {} },
  });
  const addPulling = (slug: string) =>
    addTestChannel(api.store, slug, '', { delivery: 'pull', entity_types: ['tickets'] });

  test('a page whose signature does not fit is handed to nobody', async () => {
    const { apiKey, channel } = await addPulling('forged');
    const headers = { 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
    await layTestPage(api.store, channel, { headers });
    const receiver = await FakeCustomer.start();
    const refused = listen({
      feed: createFeedClient('forged', serviceOf(apiKey)),
      take: (page) => forwardPage({ url: receiver.baseUrl, authorization: undefined }, page),
      ...{ signingSecret: newSigningSecret(), everyMs: undefined, onPage: () => {} },
      onRefused(seen) {
        throw Object.assign(new Error('refused'), seen);
      },
    });
    const seen = { signature: 'forged', receiver: 'not asked', result: 'refused' };
    await expect(refused).rejects.toMatchObject(seen);
    expect(receiver.pages).toEqual([]);
    const waiting = await api.store.db.collection('waiting_pages').find().toArray();
    expect(waiting).toMatchObject([{ page: 'msg_1' }]);
  });

  test('a page that waits no longer was not confirmed', async () => {
    const { apiKey } = await addPulling('overtaken');
    const page = { id: 'msg_of_before', entityType: 'tickets' as const };
    const given = { ...page, headers: {}, body: Buffer.from('') };
    expect(await createFeedClient('overtaken', serviceOf(apiKey)).confirm(given)).toBe(false);
  });
});
