import { parse } from 'csv-parse/sync';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askDeletions } from '../../control/ask-deletions';
import { setPassedFields } from '../../store/sharing/passed-fields';
import type { Api } from '../api/start-api';
import { cases, scaledTest } from '../setup/cases';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { stand } from '../setup/stand';
import { temporaryFolder } from '../setup/temporary-folder';
import { TestFeed } from '../workflows/test-feed';
import { startListening } from './start-listening';

const RECORDS = cases(3_000, 100_000);
const KILLS = Math.min(cases(3, 20), 20); // GDX_CASES is of records: as many kills would take a day
const LONGEST_MS = 3_600_000; // of a loaded machine

let feed: TestFeed;
let api: Api;
beforeAll(async () => {
  ({ feed, api } = await stand({ feed: {}, api: {} }));
});

const folderOf = (name: string) => path.join(temporaryFolder('collect'), name);
const textOf = (folder: string, type: string) => readFileSync(path.join(folder, `${type}.csv`), 'utf8');
const rowsOf = (folder: string, type = 'tickets'): Record<string, string>[] =>
  parse(textOf(folder, type), { bom: true, columns: true });

async function open(slug: string, settings: Parameters<TestFeed['addChannel']>[1] = {}) {
  const collected = { delivery: 'pull' as const, page_size: 500, entity_types: ['tickets' as const] };
  const receiver = await feed.addChannel(slug, { ...collected, ...settings });
  const [company] = (await feed.channel(slug)).companies;
  return { company: company!, folder: folderOf(slug), ...(await startListening(feed, api, slug, receiver)) };
}

/** What the digest would have: ids and times of all that is stored of a company and not deleted. */
async function stored(company: string) {
  const found = await feed.store.db
    .collection<{ _id: string; updated_at: Date; deleted_at: Date | null; company_id: string }>('tickets')
    .find({ company_id: company, deleted_at: null })
    .toArray();
  return new Map(found.map(({ _id, updated_at }) => [_id, updated_at.toISOString()]));
}

scaledTest(
  `${RECORDS} records with ${KILLS} kill -9 of gdx.mjs collect: the table is what is stored, and whole all the time`,
  async () => {
    const { company, folder, collect, startCollecting } = await open('killed');
    for (let first = 1; first <= RECORDS; first += 1_000)
      await feed.push('killed', ['tickets'], 1_000, first);
    for (let kill = 0; kill < KILLS; kill++) {
      const collecting = startCollecting(folder);
      const { length } = collecting.lines;
      while (collecting.lines.length < length + 2 && collecting.child.exitCode === null) await sleep(5);
      await sleep(randomInt(0, 400));
      await collecting.end('SIGKILL');
      if (existsSync(path.join(folder, 'tickets.csv'))) rowsOf(folder); // whole
    }
    const last = await collect(folder);
    expect([last.code, last.err]).toEqual([0, expect.stringContaining('Nothing is left to collect')]);
    const rows = rowsOf(folder);
    expect(new Map(rows.map(({ id, updated_at }) => [id, updated_at]))).toEqual(await stored(company));
    expect(rows).toHaveLength(RECORDS);
  },
  LONGEST_MS,
);

test('a correction replaces its row, a deletion takes it out, a new field is a new column, and no cell is a formula', async () => {
  const { company, folder, collect } = await open('changed');
  const ticket = (id: string, more: object = {}) => ({ id, account_id: '1', ...more });
  await feed.pushThese('changed', { tickets: [ticket('T-1'), ticket('T-2', { grade: '=1+1' })] });
  expect(await collect(folder, '--json')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"2 rows"'),
  });
  expect(rowsOf(folder)).toMatchObject([
    { id: `${company}-T-1`, 'account.id': `${company}-1`, grade: '' },
    { id: `${company}-T-2`, 'account.remote_id': '1', grade: "'=1+1" },
  ]);
  const splits = [
    { account_id: '1', split_percent: 60 },
    { account_id: '2', split_percent: 40 },
  ];
  await feed.pushThese('changed', {
    tickets: [
      { id: 'T-1', deleted: true },
      ticket('T-2', { grade: 'a, "b"\nc', '=x': 1 }),
      { id: 'T-3', splits },
    ],
  });
  for (const time of ['first', 'second']) {
    expect([time, await collect(folder)]).toMatchObject([time, { code: 0 }]);
    const rows = rowsOf(folder);
    expect(rows).toMatchObject([
      { id: `${company}-T-2`, grade: 'a, "b"\nc', "'=x": '1' },
      { id: `${company}-T-3`, grade: '', "'=x": '' },
    ]);
    expect(JSON.parse(rows[1]!['splits']!)).toMatchObject([
      { account: { id: `${company}-1` } },
      { split_percent: 40 },
    ]);
    await feed.pushThese('changed', { tickets: [ticket('T-2', { grade: 'a, "b"\nc', '=x': 1, dock: 5 })] });
  }
});

const keyOfAccount = (channel: string, account: string) => ({
  channel,
  partner_id: 'p',
  farmer: 'f',
  account,
});

test('what a farmer stops sharing is deleted, but for what another account shares, and the service is told', async () => {
  const { company, folder, collect } = await open('stopped', { scope: 'subscribed' });
  const channel = await feed.channel('stopped');
  const keyOf = (account: string) => keyOfAccount('stopped', `${company}-${account}`);
  const splits = [
    { account_id: '1', split_percent: 60 },
    { account_id: '2', split_percent: 40 },
  ];
  await feed.pushThese('stopped', {
    tickets: [
      { id: 'T-1', account_id: '1' },
      { id: 'T-2', account_id: '2' },
      { id: 'T-3', splits },
    ],
  });
  await grantAccounts(feed.store, channel, [keyOf('1'), keyOf('2')]);
  await collect(folder);
  expect(
    rowsOf(folder)
      .map(({ remote_id }) => remote_id)
      .sort(),
  ).toEqual(['T-1', 'T-2', 'T-3']);
  await revokeAccounts(feed.store, [keyOf('1')]);
  await askDeletions(feed.store);
  const { code, err } = await collect(folder);
  expect([code, err]).toEqual([0, expect.stringContaining('1 account no longer shared: 1 row deleted.')]);
  expect(
    rowsOf(folder)
      .map(({ remote_id }) => remote_id)
      .sort(),
  ).toEqual(['T-2', 'T-3']);
  expect((await collect(folder)).err).not.toContain('no longer shared');
});

test('it is deleted from the table of a type that the channel has lost, too, before the service is told so', async () => {
  const entity_types = ['tickets' as const, 'contracts' as const];
  const { company, folder, collect } = await open('lost', { scope: 'subscribed', entity_types });
  const key = keyOfAccount('lost', `${company}-1`);
  await feed.pushThese('lost', {
    tickets: [{ id: 'T-1', account_id: '1' }],
    contracts: [{ id: 'C-1', account_id: '1' }],
  });
  await grantAccounts(feed.store, await feed.channel('lost'), [key]);
  await collect(folder);
  expect([rowsOf(folder), rowsOf(folder, 'contracts')]).toMatchObject([
    [{ remote_id: 'T-1' }],
    [{ remote_id: 'C-1' }],
  ]);
  await feed.changeChannel('lost', { entity_types: ['tickets'] });
  await revokeAccounts(feed.store, [key]);
  await askDeletions(feed.store);
  writeFileSync(path.join(folder, 'contracts.csv.new'), textOf(folder, 'contracts')); // as a kill leaves it
  expect((await collect(folder)).err).toContain('1 account no longer shared: 2 rows deleted.');
  expect([rowsOf(folder), rowsOf(folder, 'contracts')]).toEqual([[], []]);
  expect(readdirSync(folder).sort()).toEqual(['contracts.csv', 'tickets.csv']);
});

test('a field of an ERP’s own that has the name of a list keeps nothing from being deleted', async () => {
  const { company, folder, collect } = await open('own-field', { scope: 'subscribed' });
  const key = keyOfAccount('own-field', `${company}-1`);
  const erp = { _id: 'erp', company: { id: company } };
  await setPassedFields(feed.store, erp, { add: ['tickets.payees'], remove: [] });
  await feed.pushThese('own-field', {
    tickets: [
      { id: 'T-1', account_id: '1', payees: 'Bob Miller' },
      { id: 'T-2', account_id: '1', payees: '5' },
    ],
  });
  await grantAccounts(feed.store, await feed.channel('own-field'), [key]);
  await collect(folder);
  expect(rowsOf(folder)).toMatchObject([{ payees: 'Bob Miller' }, { payees: '5' }]);
  await revokeAccounts(feed.store, [key]);
  await askDeletions(feed.store);
  const { code, err } = await collect(folder);
  expect([code, err]).toEqual([0, expect.stringContaining('1 account no longer shared: 2 rows deleted.')]);
});

test('a table of somebody else is left alone, and a channel that is pushed says whom to ask', async () => {
  const { folder, collect } = await open('others');
  await feed.push('others', ['tickets'], 1);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'tickets.csv'), 'name,phone\r\nA,1\r\n');
  const { code, err } = await collect(folder);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/tickets\.csv is not a table that collect has written.*--into.* reset its type/s),
  ]);
  expect(textOf(folder, 'tickets')).toBe('name,phone\r\nA,1\r\n');
  const pushed = await open('posted', { delivery: 'push' });
  expect(await pushed.collect(pushed.folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('--delivery pull'),
  });
});

test('each page is said beside its table, and with another signing secret it ends before anything is written', async () => {
  const { folder, collect, collectWith } = await open('signed');
  await feed.push('signed', ['tickets'], 1);
  const { code, err } = await collectWith({ GDX_SIGNING_SECRET: `whsec_${'A'.repeat(43)}=` }, folder);
  expect([code, existsSync(path.join(folder, 'tickets.csv'))]).toEqual([1, false]);
  expect(err).toMatch(/is not signed with GDX_SIGNING_SECRET: nothing was written.*; check that it is/s);
  expect(await collect(folder)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/page 1 of 1, 1 records, genuine, tickets\.csv: 1 rows, confirmed\n/),
  });
});
