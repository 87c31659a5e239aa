import { listConsents } from '../../store/sharing/consents';
import { farmerIdOf } from '../../store/sharing/farmers';
import { listGranted } from '../../store/sharing/subscriptions';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { slowTest } from '../setup/cases';
import { openStore } from '../setup/open-store';
import {
  accountsOf,
  addFarmersChannel,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
  type Farmers,
} from './start-farmers';
import { textOf } from './visitor';

let farmers: Farmers;
let store: Store;
let halt: ReturnType<typeof stopHere> | undefined;
beforeAll(async () => {
  store = await openStore();
  const held = rewire(store, async (call) => {
    if (call.collection === 'consents' && call.method.startsWith('insert')) await halt?.here();
    return call.run();
  });
  farmers = await startFarmers({ store: held });
  await addFarmersChannel(farmers, 'every', { scope: 'all', name: 'Everything Bank' });
  await pushAccounts(farmers, accountsOf(PHONE, 3));
});
afterAll(async () => {
  await farmers.stop();
  await closeStore(store);
});
beforeEach(() => farmers.forgetAttempts());

const setTypes = (...entity_types: string[]) =>
  farmers.store.db
    .collection<{ _id: string }>('channels')
    .updateOne({ _id: 'acme' }, { $set: { entity_types } });

test('a link that met an error can be followed again as it is', async () => {
  const visitor = farmers.visitor();
  farmers.serving.phase = 'starting';
  await visitor.get(linkTo());
  farmers.serving.phase = 'serving';
  expect(visitor.page.status).toBe(503);
  expect(visitor.page.html).toMatch(/class="button" href(?:="")?>/); // the address that the browser shows
  expect(visitor.page.html).not.toContain(PHONE);
});

test('one code too many asked for: the code in hand still has a page', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  await visitor.submit({});
  const codes = farmers.store.db.collection('sign_in_codes');
  for (let time = 0; time < 3; time++) {
    await codes.updateMany({}, { $set: { sent_at: new Date(Date.now() - 31_000) } });
    await visitor.get('/subscriptions/code');
    await visitor.submit({ do: 'resend' });
  }
  expect(visitor.page.status).toBe(429);
  expect(/class="button" href="([^"]*)"/.exec(visitor.page.html)?.[1]).toBe('/subscriptions/code');
  await visitor.get('/subscriptions/code');
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  expect(visitor.page.path).toBe('/subscriptions/accounts');
});

test('the language, on a code page gone back to, leads on in that language', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo());
  await visitor.submit({});
  const old = visitor.twin();
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  old.cookie = visitor.cookie;
  await old.submit({ language: 'es' });
  expect([old.page.path, old.page.html.includes('lang="es"')]).toEqual(['/subscriptions/accounts', true]);
});

test('a channel that gets every record offers no choice', async () => {
  const visitor = farmers.visitor();
  await visitor.get(linkTo({ partner_slug: 'every' }));
  expect([visitor.page.status, visitor.cookie]).toEqual([400, undefined]);
});

test('a partner_id has 128 characters, whatever they take', async () => {
  const statuses = [];
  for (const length of [128, 129]) {
    const visitor = farmers.visitor();
    await visitor.get(linkTo({ partner_id: '😀'.repeat(length) }));
    statuses.push(visitor.page.status);
  }
  expect(statuses).toEqual([200, 400]);
});

test('a page that said less than what is agreed to saves nothing', async () => {
  const visitor = await farmers.verified({ partner_id: 'terms' });
  await visitor.submit({ account: ['42-1'] });
  const old = visitor.twin(); // names three types
  await setTypes('accounts', 'contracts', 'tickets', 'settlements');
  await visitor.get('/subscriptions/check'); // another window, or a reload, names four
  await old.submit({ do: 'save' });
  expect(old.page.status).toBe(409);
  const who = { channel: 'acme', partner_id: 'terms', farmer: await farmerIdOf(farmers.store, PHONE) };
  expect(await listConsents(farmers.store, who)).toEqual([]);
  await setTypes('accounts', 'contracts', 'tickets');
});

describe('a save that takes long', () => {
  const granted = async (partner: string) =>
    (await listGranted(farmers.store, 'acme', partner)).map(({ account }) => account).sort();

  test('what is chosen meanwhile waits for it', async () => {
    const visitor = await farmers.verified({ partner_id: 'slow' });
    await visitor.submit({ account: ['42-1', '42-2'] });
    await visitor.twin().get('/subscriptions/accounts');
    const other = visitor.twin();
    await other.get('/subscriptions/accounts');
    halt = stopHere();
    const saving = visitor.submit({ do: 'save' });
    await halt.reached;
    await other.submit({ account: ['42-3'] });
    expect(other.page.path).toBe('/subscriptions/done');
    halt.goOn();
    halt = undefined;
    await saving;
    expect(await granted('slow')).toEqual(['42-1', '42-2']);
    await other.get('/subscriptions/accounts');
    await other.submit({ account: ['42-3'] });
    await other.submit({ do: 'save' });
    expect(await granted('slow')).toEqual(['42-3']);
  });

  test('is not taken for dead while its batches go on', async () => {
    const visitor = await farmers.verified({ partner_id: 'batches' });
    await visitor.submit({ account: ['42-1'] });
    const sessions = farmers.store.db.collection('sessions');
    const savingSince = async () => (await sessions.findOne({ saving: { $ne: null } }))?.['saving'].at;
    halt = stopHere();
    const [grants, refusals] = [halt, stopHere()];
    const saving = visitor.submit({ do: 'save' });
    await grants.reached;
    await sessions.updateMany({ saving: { $ne: null } }, { $set: { 'saving.at': new Date(0) } });
    halt = refusals;
    grants.goOn();
    await refusals.reached;
    expect(Date.now() - (await savingSince())).toBeLessThan(60_000);
    halt = undefined;
    refusals.goOn();
    await saving;
    expect(visitor.page.path).toBe('/subscriptions/done');
  });

  test('taken for dead, it does not undo what was chosen since', async () => {
    const visitor = await farmers.verified({ partner_id: 'dead' });
    await visitor.submit({ account: ['42-1'] });
    const other = visitor.twin();
    await other.get('/subscriptions/accounts');
    halt = stopHere();
    const stopped = halt;
    const saving = visitor.submit({ do: 'save' });
    await stopped.reached;
    halt = undefined;
    const sessions = farmers.store.db.collection('sessions');
    await sessions.updateMany({ saving: { $ne: null } }, { $set: { 'saving.at': new Date(0) } });
    await other.submit({ account: ['42-3'] });
    expect(other.page.path).toBe('/subscriptions/check');
    stopped.goOn();
    await saving;
    await other.submit({ do: 'save' });
    expect(other.page.status).toBe(409); // what that one has shared is to be stopped, and was not named
    await other.submit({ do: 'save' });
    expect(await granted('dead')).toEqual(['42-3']);
  });
});

slowTest('a search of a megabyte costs no more than one that is typed', async () => {
  await pushAccounts(farmers, accountsOf('7015550300', 200, 5_000));
  const visitor = await farmers.verified({ phone: '7015550300', partner_id: 'search' });
  const own = (searched: string) => visitor.twin().submit({ searched, search: '', do: 'tick' });
  const timed = async (searched: string) => {
    const times = [];
    for (let time = 0; time < 3; time++) {
      const began = performance.now();
      await own(searched);
      times.push(performance.now() - began);
    }
    return Math.min(...times);
  };
  const short = await timed('co-op');
  expect(await timed('op '.repeat(300_000))).toBeLessThan(short * 3 + 1_000);
  expect(textOf((await own('')).html)).toContain('Meyer Farms');
});
