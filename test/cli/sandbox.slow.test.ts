import type { ChildProcess } from 'node:child_process';
import { testCompanyOf } from '../../domain/records/company-id';
import { listIntegrations } from '../../store/callers/integrations';
import type { ChannelSettings } from '../../store/channels/channels';
import { createHarvest, loadSample } from '../../cli/sandbox/harvest';
import { refuseMixed, requireApart } from '../../cli/sandbox/keep-apart';
import { type Api, startApi } from '../api/start-api';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { type Desk, startDesk } from './start-desk';
import { nightlyTest } from '../setup/cases';

let desk: Desk;
let api: Api;
beforeEach(async () => {
  desk = await startDesk();
  api = await startApi({ store: desk.store });
});

const add = (slug: string, companies = [testCompanyOf(slug).id], changes: Partial<ChannelSettings> = {}) =>
  addTestChannel(desk.store, slug, 'http://127.0.0.1:9', { companies, ...changes });
const url = () => ['--url', `http://127.0.0.1:${api.port}`];
const sandbox = (slug: string, ...args: string[]) => desk.gdx(['sandbox', slug, ...url(), ...args]);

interface Stored {
  _id: string;
  position: number;
  deleted_at: Date | null;
  wire: Buffer;
}

const stored = (type: string) =>
  desk.store.db.collection<Stored>(type).find().sort({ position: 1 }).toArray();

test('a test company’s harvest trickles in, and goes on where it was left', async () => {
  await add('acme');
  const first = await sandbox('acme', '--records', '5', '--every', '1s', '--for', '2s', '--json');
  expect(first).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Pushing 5 records every 1 s'),
  });
  const harvest = first.json().left + 5 * (first.json().pushes - 1);
  expect(first.json()).toMatchObject({ company: 'test.acme', name: 'TEST company of acme' });

  const ids = async () =>
    [...(await stored('tickets')), ...(await stored('settlements'))].map(({ _id }) => _id);
  const before = await ids();
  expect(before).toHaveLength(harvest - first.json().left);
  const again = await sandbox('acme', '--records', '7', '--for', '1s', '--json');
  expect([again.exitCode, again.json()]).toMatchObject([0, { pushes: 2, left: first.json().left - 7 }]);
  const after = await ids();
  expect(after).toEqual(expect.arrayContaining(before));
  expect(after).toHaveLength(before.length + 7);
  expect((await stored('accounts')).length).toBe(40);

  for (const type of ['accounts', 'contracts', 'tickets', 'settlements'])
    for (const { _id, wire } of await stored(type)) {
      const record = Object.values(JSON.parse(wire.toString()) as object)[0] as object;
      expect(record).toMatchObject({ company: { id: 'test.acme', name: 'TEST company of acme' } });
      expect(_id).toMatch(/^test\.acme-/);
    }
  expect(await listIntegrations(desk.store)).toMatchObject([
    { name: 'sandbox', company: { id: 'test.acme' } },
  ]);
});

test('what was pushed changes, tickets are deleted, and changes go on when the harvest is over', async () => {
  const stored = {
    accounts: new Set<string>(),
    contracts: new Set<string>(),
    tickets: new Set<string>(),
    settlements: new Set<string>(),
  };
  const harvest = createHarvest(await loadSample(), stored, 'seed');
  harvest.pushed(harvest.base);
  const seen = new Map(harvest.base.map(([type, record]) => [`${type}/${record.id}`, record]));
  const counts = { new: 0, changed: 0, deleted: 0 };
  while (harvest.left() > 0) {
    const items = harvest.next(100);
    for (const [type, record] of items) {
      const key = `${type}/${record.id}`;
      counts[seen.has(key) ? 'changed' : 'new'] += 1;
      if ('deleted_at' in record && record.deleted_at) counts.deleted += 1;
      expect(seen.get(key)).not.toEqual(record);
      seen.set(key, record);
    }
    harvest.pushed(items);
  }
  expect(counts).toEqual({ new: harvest.total, changed: expect.any(Number), deleted: expect.any(Number) });
  expect(counts.changed).toBeGreaterThan(40);
  expect(counts.deleted).toBeGreaterThan(0);
  const later = harvest.next(30);
  expect(later.filter(([type, { id }]) => seen.has(`${type}/${id}`))).toHaveLength(30);
});

nightlyTest('Ctrl-C ends it in order, and another call takes over', async () => {
  await add('acme');
  let child: ChildProcess;
  const running = desk.gdxProcess(
    ['sandbox', 'acme', ...url(), '--json'],
    {},
    (started) => (child = started),
  );
  await eventually(async () => expect((await stored('tickets')).length).toBeGreaterThan(0));
  child!.kill('SIGINT');
  expect(await running).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"pushes": 2') });

  const before = (await stored('tickets')).length;
  const hash = async () => (await listIntegrations(desk.store))[0]!.token_hashes[0];
  const overtaken = desk.gdxProcess(['sandbox', 'acme', ...url(), '--every', '1s', '--for', '60s']);
  await eventually(async () => expect((await stored('tickets')).length).toBeGreaterThan(before));
  const live = await hash();
  const taking = await desk.gdxProcess(['sandbox', 'acme', ...url(), '--every', '1s', '--for', '8s']);
  expect(taking.exitCode).toBe(0);
  expect(await overtaken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has taken over') });
  expect(await hash()).not.toBe(live); // what opened for one call opens nothing after it
});

test.each([
  ['real companies', ['42']],
  ['one beside it', ['42', 'test.acme']],
  ['every company', []],
  ['another’s test company', ['test.other']],
])('nothing is pushed to a channel that carries %s', async (_, companies) => {
  await add('acme', companies);
  const { exitCode, stderr } = await sandbox('acme');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^gdx: channel acme carries .*; add a channel .* --company test\.acme_test`/),
  ]);
  expect(await listIntegrations(desk.store)).toEqual([]);
});

describe('where it is real', () => {
  test('nothing is pushed beside a channel of every company, and elsewhere it says so', async () => {
    await add('acme');
    await add('lender', []);
    const { stderr } = await sandbox('acme', '--for', '1s');
    expect(stderr).toMatch(/^Beware: lender would get the test records too/);
    const acme = { _id: 'acme', companies: ['test.acme'] };
    await expect(requireApart({ ...desk.store, production: true }, acme, 'test.acme')).rejects.toThrow(
      /lender would get the test records/,
    );
  });

  test('no channel of every company is added beside it, nor one that mixes', async () => {
    await add('acme');
    await sandbox('acme', '--for', '1s');
    const live = { ...desk.store, production: true };
    await expect(refuseMixed(live, [])).rejects.toThrow(/test\.acme of `gdx sandbox` would be in a channel/);
    await expect(refuseMixed(live, ['42', '43'])).resolves.toBeUndefined();
    const mixed = [
      'channel',
      'add',
      'b',
      '--name',
      'B',
      '--delivery',
      'pull',
      '--company',
      '42',
      '--company',
      'test.acme',
    ];
    expect(await desk.gdx(mixed)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('a channel carries it alone'),
    });
    const erp = ['integration', 'add', '--company-id', 'test.acme', '--company', 'X'];
    expect(await desk.gdx(erp)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('`gdx sandbox`'),
    });
  });
});

test('where there is no sample data, it says where there is', async () => {
  await expect(loadSample('../nowhere')).rejects.toMatchObject({
    message: expect.stringContaining('no sample data'),
    advice: expect.stringContaining('in a checkout'),
  });
});
