import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { integrationTokens, listIntegrations } from '../../store/callers/integrations';
import { Collection } from 'mongodb';
import { eraseEnded } from '../../control/erase-ended';
import { endings } from '../../store/callers/endings';
import { hearingSignals } from '../api/start-api';
import { pushRecords } from '../setup/push-records';
import { gdxHere } from './gdx-here';
import { startDesk, type Desk } from './start-desk';

const COMPANIES =
  'company_id,company,name,time_zone\n42,Prairie Co-op,agris,America/Chicago\n7.a,"Valley, Grain",,\n';

let desk: Desk;
let dir: string;

beforeEach(async () => {
  desk = await startDesk();
  dir = await mkdtemp(path.join(tmpdir(), 'vendor-'));
});

const at = (name: string) => path.join(dir, name);

async function addFrom(text: string | Buffer, tokens = 'tokens.csv', ...more: string[]) {
  return desk.gdx(await addition(text, tokens, ...more));
}

async function addition(text: string | Buffer, tokens = 'tokens.csv', ...more: string[]) {
  await writeFile(at('companies.csv'), text);
  const files = ['--from', at('companies.csv'), '--tokens', at(tokens)];
  return ['integration', 'add', ...files, '--vendor', 'Agris', ...more];
}

/** The rows of a file of tokens, without its heading. */
async function tokensIn(name = 'tokens.csv') {
  const [heading, ...rows] = (await readFile(at(name), 'utf8')).trimEnd().split('\n');
  expect(heading).toBe('"company_id","company","name","id","token"');
  return rows.map((row) => row.slice(1, -1).split('","'));
}

test('the companies of a vendor are added from one file, and their tokens are in another, for its owner alone', async () => {
  const added = await addFrom(COMPANIES);
  expect([added.exitCode, added.stdout]).toEqual([
    0,
    expect.stringMatching(/^added +2\nthere_already +0\ntokens /),
  ]);
  expect(added.stderr).toMatch(/2 tokens in .*tokens\.csv, which only you may read/);
  expect(added.stdout + added.stderr).not.toMatch(/gdx_erp_/);
  expect((await stat(at('tokens.csv'))).mode & 0o777).toBe(0o600);
  const rows = await tokensIn();
  expect(rows.map(([id, company, name]) => [id, company, name])).toEqual([
    ['42', 'Prairie Co-op', 'agris'],
    ['7.a', 'Valley, Grain', 'erp'],
  ]);
  for (const [company, , , id, token] of rows)
    expect(await integrationTokens.find(desk.store, token!)).toMatchObject({
      _id: id,
      company: { id: company },
      vendor: 'Agris',
    });
  const { data } = (await desk.gdx(['integration', 'list', '--json'])).json();
  expect(data[0]).toMatchObject({ company_id: '42', time_zone: 'America/Chicago', vendor: 'Agris' });
});

test('the second run adds what the first one had not, and then nothing', async () => {
  await addFrom(COMPANIES);
  const more = await addFrom(`${COMPANIES}9,Third,,\n`, 'more.csv', '--json');
  expect(more.json()).toMatchObject({ added: 1, there_already: 2 });
  expect((await tokensIn('more.csv')).map(([id]) => id)).toEqual(['9']);
  const none = await addFrom(COMPANIES, 'none.csv', '--json');
  expect(none.json()).toEqual({ added: 0, there_already: 2 });
  await expect(stat(at('none.csv'))).rejects.toThrow('ENOENT');
});

test('a token is on disk before it opens anything', async () => {
  const { insertOne } = Collection.prototype;
  const inserts = jest.spyOn(Collection.prototype, 'insertOne').mockImplementation(function (
    this: Collection,
    ...args: Parameters<typeof insertOne>
  ) {
    if (this.collectionName === 'integrations') throw new Error('the power is gone');
    return insertOne.apply(this, args);
  });
  expect((await gdxHere(await addition(COMPANIES), desk.env)).exitCode).not.toBe(0);
  inserts.mockRestore();
  expect((await tokensIn()).map(([id]) => id)).toEqual(['42']);
  expect(await listIntegrations(desk.store)).toEqual([]);
  expect((await addFrom(COMPANIES, 'again.csv', '--json')).json()).toMatchObject({ added: 2 });
});

test.each<[string, string | Buffer, RegExp]>([
  ['an id', COMPANIES.replace('7.a', '7 a'), /line 3, column 1 \(company_id\): must be 1 to 64 letters/],
  ['a company of the sandbox', COMPANIES.replace('7.a', 'test.a'), /line 3.*gdx sandbox/],
  [
    'a zone',
    COMPANIES.replace('America/Chicago', 'Chicago'),
    /line 2, column 4 \(time_zone\): must be a time zone/,
  ],
  [
    'no name',
    COMPANIES.replace('Prairie Co-op', ' \u200b'),
    /line 2, column 2 \(company\): must be 1 to 200 characters on one line/,
  ],
  [
    'a name on two lines',
    COMPANIES.replace('Prairie Co-op', '"Prairie\nCo-op"'),
    /line 2, column 2 \(company\): must be 1 to 200 characters on one line/,
  ],
  [
    'an ERP on two lines',
    COMPANIES.replace('agris', '"ag\nris"'),
    /line 2, column 3 \(name\): must be 1 to 200 characters on one line/,
  ],
  [
    'a column',
    COMPANIES.replace('company,name', 'compny,name'),
    /line 1, column 2: “compny”.*is it company\?/,
  ],
  ['a column that is missing', 'company_id\n42\n', /line 1: there is no column company/],
  ['a short row', COMPANIES.replace('agris,', ''), /line 2: 3 cells, and the heading has 4/],
  [
    'a row that comes twice',
    `${COMPANIES}42,Prairie Co-op,agris,\n`,
    /line 4: the same company and name as line 2/,
  ],
  ['two names of one company', `${COMPANIES}42,Other,,\n`, /company 42 is “Other”, not “Prairie Co-op”/],
  ['no company', 'company_id,company\n', /no company stands below the heading/],
  ['nothing', '', /no company stands below the heading/],
  ['no text', Buffer.from([0xff, 0x00, 0x12]), /line 1/],
])('a file with a wrong row is refused by its line, and nothing is added: %s', async (_, text, says) => {
  const refused = await addFrom(text);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(says)]);
  expect(await listIntegrations(desk.store)).toEqual([]);
  await expect(stat(at('tokens.csv'))).rejects.toThrow('ENOENT');
});

test('what stands at both ends of a cell and cannot be seen is no part of it', async () => {
  await addFrom('company_id\u200b,company\n42\u2060,\u202aPrairie\u200b\n');
  const [added] = await listIntegrations(desk.store);
  expect(added!.company).toEqual({ id: '42', name: 'Prairie' });
});

test('a company that is stored under another name is refused, unless it is said that they are one', async () => {
  await desk.gdx(['integration', 'add', '--company-id', '42', '--company', 'Prairie']);
  expect((await addFrom(COMPANIES)).stderr).toMatch(
    /company 42 is “Prairie”, not “Prairie Co-op”.*--same-company/,
  );
  expect((await addFrom(COMPANIES, 'tokens.csv', '--same-company')).exitCode).toBe(0);
});

test.each<[string, string[], RegExp]>([
  ['no company', [], /no company is named; say --company-id and --company, or --from/],
  ['a company beside a file', ['--from', 'x.csv', '--company-id', '42'], /--from names the companies/],
  [
    'a time zone beside a file',
    ['--from', 'x.csv', '--time-zone', 'America/Chicago'],
    /--from names the companies; leave out .*--time-zone/,
  ],
  ['an ERP beside a file', ['--from', 'x.csv', '--name', 'agris'], /--from names the companies; /],
  ['a file that is not there', ['--from', 'nowhere.csv', '--tokens', 't.csv'], /nowhere\.csv cannot be read/],
])('what is missing is said: %s', async (_, options, says) => {
  const refused = await desk.gdx(['integration', 'add', ...options]);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toMatch(says);
});

test('no file of tokens is written over, and none is left out', async () => {
  await writeFile(at('tokens.csv'), 'mine');
  const refused = await addFrom(COMPANIES);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/is there already; name a new file/),
  ]);
  expect(await readFile(at('tokens.csv'), 'utf8')).toBe('mine');
  const none = await desk.gdx(['integration', 'add', '--from', at('companies.csv')]);
  expect(none.stderr).toMatch(/no place for the tokens; add --tokens/);
  expect(await listIntegrations(desk.store)).toEqual([]);
});

test('a name that a spreadsheet would take for a formula is text in the file of tokens', async () => {
  await addFrom('company_id,company\n42,=HYPERLINK("x")\n');
  expect(await readFile(at('tokens.csv'), 'utf8')).toContain('"\'=HYPERLINK(""x"")"');
});

test('the tokens of a vendor are rotated at once; who has two keeps both', async () => {
  await addFrom(COMPANIES);
  await desk.gdx(['integration', 'add', '--company-id', '9', '--company', 'Another']);
  const rotate = (tokens: string, ...more: string[]) =>
    desk.gdx(['integration', 'rotate', '--vendor', 'Agris', '--tokens', at(tokens), '--json', ...more]);
  const before = await tokensIn();
  expect((await rotate('new.csv')).json()).toMatchObject({ vendor: 'Agris', rotated: 2, left: [] });
  const after = await tokensIn('new.csv');
  expect(after.map(([company, , , id]) => [company, id])).toEqual(
    before.map(([company, , , id]) => [company, id]),
  );
  for (const [, , , id, token] of [...before, ...after])
    expect(await integrationTokens.find(desk.store, token!)).toMatchObject({ _id: id });
  const again = (await rotate('again.csv')).json();
  expect(again).toMatchObject({ rotated: 0, left: before.map(([, , , id]) => id) });
  expect((await rotate('last.csv', '--revoke-old')).json()).toMatchObject({ rotated: 2 });
  expect(await integrationTokens.find(desk.store, after[0]![4]!)).toBeNull();
});

test('a vendor is checked in one table', async () => {
  await addFrom(COMPANIES);
  await desk.pushTickets(2);
  const check = (...more: string[]) => desk.gdx(['integration', 'check', '--vendor', 'Agris', ...more]);
  const { data } = (await check('--json')).json();
  expect(data).toEqual([
    expect.objectContaining({ company_id: '42', checked: expect.objectContaining({ tickets: 2 }) }),
    expect.objectContaining({ company_id: '7.a', findings: [] }),
  ]);
  expect((await check()).stdout).toMatch(/COMPANY_ID .*RECORDS .*FINDINGS\n/);
});

test.each([['check'], ['rotate'], ['close']])(
  '%s asks for an ERP or a vendor, and says where there is none',
  async (word) => {
    const why = word === 'close' ? ['--reason', 'x'] : [];
    expect((await desk.gdx(['integration', word, ...why])).stderr).toMatch(
      /no ERP is named; say its id, or --vendor/,
    );
    const more = word === 'rotate' ? ['--tokens', at('t.csv')] : why;
    const unknown = await desk.gdx(['integration', word, '--vendor', 'Nobody', ...more]);
    expect(unknown.stderr).toMatch(/no ERP is of the vendor Nobody; `gdx integration list`/);
  },
);

describe('closing', () => {
  const close = (...more: string[]) =>
    desk.gdx(['integration', 'close', '--reason', 'contract ended', '--vendor', 'Agris', ...more]);
  const opens = async () => {
    const found = [];
    for (const [, , , , token] of await tokensIn())
      if (await integrationTokens.find(desk.store, token!)) found.push(token);
    return found.length;
  };
  beforeEach(async () => {
    await addFrom(COMPANIES);
    await desk.pushTickets(2);
  });

  test('the ERPs of a vendor are closed, and how far that is stands in one table', async () => {
    const { data } = (await close('--dry-run', '--json')).json();
    expect(data).toEqual([
      expect.objectContaining({ state: 'open', company: 'Prairie Co-op', records: 2, erase_at: null }),
      expect.objectContaining({ state: 'open', company: 'Valley, Grain', records: 0, kept_by: [] }),
    ]);
    expect(await opens()).toBe(2);
    const one = ['integration', 'close', data[0].id, '--dry-run'];
    expect((await desk.gdx(one)).stderr).toMatch(
      /^Nothing has changed\. Without --dry-run its tokens end at once; 2 records are deleted at customers and erased 30 days later/m,
    );
    const closed = (await close('--json')).json();
    expect(closed.data).toEqual([
      expect.objectContaining({ name: 'closed', state: 'waits', company: 'Prairie Co-op', waits_for: [] }),
      expect.objectContaining({ state: 'waits', company_id: '7.a' }),
    ]);
    const days = (Date.parse(closed.data[0].erase_at) - Date.now()) / 86_400_000;
    expect([await opens(), Math.round(days)]).toEqual([0, 30]);
    const [{ id }] = closed.data;
    const again = (await desk.gdx(['integration', 'close', id, '--reason', 'x', '--json'])).json();
    expect(again).toMatchObject({ state: 'waits', erase_at: closed.data[0].erase_at });
    expect((await desk.gdx(['integration', 'close', id, '--dry-run'])).stderr).toMatch(
      /^Nothing else ends before 20\S+Z\. Until then `gdx integration add --company-id 42` keeps the company, /m,
    );
    expect((await desk.gdx(['integration', 'rotate', id])).stderr).toMatch(
      /the integration was closed on \d{4}-\d\d-\d\d: it does not open again; /,
    );
    const listed = (await desk.gdx(['integration', 'list', '--json'])).json().data[0];
    expect(listed).toMatchObject({ id, company: 'Prairie Co-op', erase_at: closed.data[0].erase_at });
    expect((await addFrom(COMPANIES, 'again.csv', '--json')).json()).toMatchObject({ added: 2 });
    expect((await close('--dry-run', '--json')).json().data).toHaveLength(2);
    const kept = (await desk.gdx(['integration', 'close', id, '--dry-run'])).stdout;
    expect(kept).toMatch(/^state +kept\n[^]*^erase_at +-$/m);
    const [whileKept] = (await desk.gdx(['integration', 'list', '--json'])).json().data;
    expect(whileKept).toMatchObject({ id, erase_at: null });
  });

  test('closed again, a vendor says how far it is, and its time stays unless another is said', async () => {
    const [first] = (await close('--json')).json().data;
    const [again] = (await close('--json')).json().data;
    expect(again).toEqual(first);
    expect((await close('--dry-run', '--json')).json().data).toHaveLength(2);
    const [later] = (await close('--after', '60', '--json')).json().data;
    expect(Date.parse(later.erase_at)).toBeGreaterThan(Date.parse(first.erase_at));
  });

  test('at once only with the number of records, and no ERP is added while its company is erased', async () => {
    expect((await close('--now')).stderr).toMatch(/--now erases at once; add --records with their number/);
    expect((await close('--now', '--records', '3')).stderr).toMatch(
      /there are 2 records: nothing was changed/,
    );
    const silent = ['--reason', 'x', '--vendor', 'Agris', '--now'];
    expect((await desk.gdxAsking(['integration', 'close', ...silent])).stderr).toMatch(
      /2 records are deleted at customers and erased at once\. Type the number of records: [^]*nothing was changed/,
    );
    expect((await close('--now', '--after', '3')).stderr).toMatch(/cannot be used with/);
    expect(await opens()).toBe(2);
    expect((await close('--now', '--records', '2', '--json')).json().data[0]).toMatchObject({
      state: 'deleting',
    });
    expect(await opens()).toBe(0);
    const { id } = (await desk.gdx(['integration', 'list', '--json'])).json().data[0];
    expect((await desk.gdx(['integration', 'close', id, '--dry-run'])).stderr).toMatch(
      /It goes on once a minute: --dry-run says how far it is\./,
    );
    expect((await addFrom(COMPANIES, 'again.csv')).stderr).toMatch(
      /company 42 is being erased; wait until `gdx integration close <id> --dry-run`/,
    );
  });
});

describe('erasing a record', () => {
  const ticket = (id: string) => ({ id, account_id: '1' });
  const erase = (id: string, ...more: string[]) =>
    desk.gdx(['record', 'erase', '42', 'tickets', id, '--reason', 'a mistake', ...more]);
  const trace = (id: string) => desk.gdx(['record', 'trace', '42', 'tickets', id, '--json']);
  const ending = async () => (await endings(desk.store).find().toArray()).map(({ record }) => record!.id);

  test('an id that two records may have is refused for both, and each has one of its own', async () => {
    await pushRecords(desk.store, { tickets: [ticket('7'), ticket('42-7')] });
    for (const refused of [await erase('42-7'), await trace('42-7')])
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        'gdx: 42-7 may be two of the tickets: 42-7, which its ERP has as 7, or 42-42-7, which it has as 42-7; ' +
          'say 7 for the first, or 42-42-7 for the second\n',
      ]);
    expect(await ending()).toEqual([]);
    expect([(await trace('7')).json().id, (await trace('42-42-7')).json().id]).toEqual(['42-7', '42-42-7']);
    await erase('42-42-7');
    expect(await ending()).toEqual(['42-42-7']);
  });

  test('run again, it says how far it is until nothing is left, and then that', async () => {
    await pushRecords(desk.store, { tickets: [ticket('7'), ticket('8')] });
    expect((await erase('7', '--json')).json()).toMatchObject({ id: '42-7', state: 'deleting' });
    const minute = () => eraseEnded({ store: desk.store, temporal: hearingSignals().temporal }, new Date());
    await minute();
    expect((await erase('7', '--json')).json()).toMatchObject({ id: '42-7', state: 'erasing' });
    await endings(desk.store).updateMany({}, { $set: { told_at: new Date(0) } }); // a quarter of an hour ago
    await minute();
    expect(await ending()).toEqual([]);
    for (const id of ['7', '42-7']) {
      const again = await erase(id);
      expect([again.exitCode, again.stdout, again.stderr]).toEqual([
        0,
        expect.stringMatching(/^id +42-7\nstate +erased\n/),
        'Nothing of it is left.\n',
      ]);
    }
    expect(await ending()).toEqual([]);
    expect((await erase('9')).stderr).toMatch(/no ERP has pushed 9 among the tickets/);
    expect((await erase('8', '--dry-run', '--json')).json()).toMatchObject({ id: '42-8', state: 'there' });
  });
});
