import { randomUUID } from 'node:crypto';
import { eraseEnded } from '../../control/erase-ended';
import { endings } from '../../store/callers/endings';
import {
  addIntegration,
  companyNames,
  integrationTokens,
  integrations,
  listIntegrations,
} from '../../store/callers/integrations';
import { findChannel, pauseChannel, resumeChannel } from '../../store/channels/channels';
import { farmerNotices } from '../../store/consent/farmer-notices';
import { farmerOf, subscriptions } from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import { listSetAside, releaseForResend, setAside } from '../../store/deliveries/set-aside';
import { markers, startMarker } from '../../store/markers/markers';
import { notePushes } from '../../store/push/push-activity';
import { findRecord } from '../../store/records/records';
import { closeIntegration } from '../../store/sharing/close-integration';
import { eraseRecord } from '../../store/sharing/erase-record';
import { setPassedFields } from '../../store/sharing/passed-fields';
import type { Store } from '../../store/store';
import { traceForOperator } from '../../control/trace-record';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { ActivityWorker } from '../setup/activity-worker';
import { addTestChannel } from '../setup/add-test-channel';
import { cases, nightlyTest, scaledTest } from '../setup/cases';
import { dyingAt, randomOf } from '../setup/dying';
import { FakeCustomer } from '../setup/fake-customer';
import { holding } from '../setup/holding';
import { lateBeside } from '../setup/late-beside';
import { layTestPage } from '../setup/lay-test-page';
import { loopbackAgent } from '../setup/loopback-agent';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';

const BYTES = 'grain of a company that ends';
const NAME = 'Prairie Co-op that ends';
const COMPANY = { id: '42', name: NAME };
const OTHER = { id: '43', name: 'Valley Grain' };
const TICKETS = 4;
const SEED = Number(process.env['GDX_SEED'] ?? 20261130);
const KILLS = cases(3, 100);

const agent = loopbackAgent();
const DAY = 86_400_000;
let store: Store;
let customer: FakeCustomer;
let worker: ActivityWorker;
beforeAll(async () => {
  customer = await FakeCustomer.start();
});
beforeEach(async () => {
  store = await emptyStore();
  customer.pages.length = 0;
  customer.script = () => 200;
  await addTestChannel(store, 'all', customer.baseUrl);
  worker = new ActivityWorker('all', { store, agent, customer });
});

const keysOf = () =>
  ['1', '2'].map((id) => ({
    channel: 'lender',
    partner_id: `policy-${id}`,
    farmer: farmerOf(store, '7015550142'),
    account: `42-${id}`,
  }));

/** A company that has everything that a company can have, beside another one. @returns its ERP, and the token of that */
async function addFull(company = COMPANY): Promise<{ id: string; token: string }> {
  const { integration, token } = await addIntegration(store, { name: 'agris', company });
  const { _id: id } = integration;
  const tickets = Array.from({ length: TICKETS }, (_, n) => ({ id: `t${n}`, account_id: '1', note: BYTES }));
  const accounts = ['1', '2'].map((one) => ({ id: one, name: BYTES, phones: [{ phone: '7015550142' }] }));
  const more = {
    contracts: [{ id: 'c', account_id: '2', note: BYTES }],
    elevators: [{ id: 'e', name: BYTES }],
  };
  await pushRecords(
    store,
    { accounts, tickets, ...more, settlements: [{ id: 's', account_id: '1' }] },
    company,
    undefined,
    { tickets: '2026-11-30' },
  );
  await store.db
    .collection('push_receipts')
    .insertOne({ _id: `${id}/r` as never, at: new Date(), note: BYTES });
  const pushed = { first_at: new Date(), last_at: new Date(), records: 1, warnings: 0 };
  await notePushes(store, id, { erp: `agris of ${NAME}`, company, ...pushed });
  await setPassedFields(store, integration, { add: ['tickets.note'], remove: [] });
  await pushRecords(store, { tickets: [{ id: 'theirs', account_id: '9' }] }, OTHER);
  return { id, token };
}

async function addLender(): Promise<void> {
  if (!(await findChannel(store, 'lender')))
    await addTestChannel(store, 'lender', customer.baseUrl, { scope: 'subscribed' });
  await grantAccounts(store, (await findChannel(store, 'lender'))!, keysOf());
}

const refused = { failure: 'refused', status: 422, answer: BYTES, delivery: 'd' } as const;
const setTicketAside = () =>
  setAside(store, { channel: 'all', entity_type: 'tickets', record: '42-t1', position: 1, ...refused });

const parts = (through = store) => ({ store: through, temporal: hearingSignals().temporal });
const close = (id: string, days = 0, through = store) =>
  closeIntegration(through, id, { reason: 'contract ended', erase_at: new Date(Date.now() + days * DAY) });
const minute = (through = store) => eraseEnded(parts(through), new Date(), 3);
/** Farmers have been texted that sharing has stopped. */
const text = () => farmerNotices(store).updateMany({}, { $set: { begun: [] } });
/** A company that was closed, and whose customers have confirmed its deletions. */
async function addEnded(): Promise<void> {
  const { id } = await addFull();
  await close(id);
  await minute();
  await worker.run();
  await minute();
}

/** The ERP was closed at that time, and had pushed its elevators before. */
async function asOf(erase_at: Date): Promise<void> {
  await endings(store).updateMany({}, { $set: { erase_at } });
  await store.db.collection('elevators').updateMany({}, { $set: { updated_at: new Date(0) } });
}
/** More than a quarter of an hour goes by. */
const settle = () =>
  endings(store).updateMany(
    { told_at: { $exists: true } },
    { $set: { told_at: new Date(Date.now() - DAY) } },
  );

const bytes = () => holding(store, [Buffer.from(BYTES), Buffer.from(NAME)]);
const alive = () => count('42', { deleted_at: null });
async function count(company = '42', filter = {}): Promise<number> {
  let all = 0;
  for (const type of ['accounts', 'contracts', 'tickets', 'settlements', 'elevators'])
    all += await store.db.collection(type).countDocuments({ company_id: company, ...filter });
  return all;
}
const deletedAtCustomer = () => {
  const last = new Map(
    customer.pages.flatMap(({ records }) => records.map((one) => [one.id, one['deleted_at']])),
  );
  return [...last].filter(([, deleted_at]) => deleted_at !== null).map(([id]) => id).sort(); // prettier-ignore
};
const ALL = ['42-1', '42-2', '42-c', '42-s', ...Array.from({ length: TICKETS }, (_, n) => `42-t${n}`)];

async function expectGone(): Promise<void> {
  expect([await count(), await endings(store).countDocuments(), await bytes()]).toEqual([0, 0, []]);
  expect(await subscriptions(store).countDocuments({ state: 'granted' })).toBe(0);
  expect(await count('43')).toBe(1);
  for (const type of ['push_activity', 'passed_fields', 'erp_words', 'set_aside'])
    expect([type, await store.db.collection(type).countDocuments()]).toEqual([type, 0]);
}

test('a company whose ERP is closed is deleted at its customers, then erased, and nothing of another one', async () => {
  const { id, token } = await addFull();
  await addLender();
  await worker.run();
  await setTicketAside();
  await layTestPage(store, (await findChannel(store, 'all'))!, { body: Buffer.from(BYTES) });
  await close(id);
  expect(await integrationTokens.find(store, token)).toBeNull();
  expect([await integrationTokens.rotate(store, id, 0), await listIntegrations(store)]).toEqual([null, []]);
  expect(await companyNames(store, ['42'])).toEqual(new Map([['42', NAME]]));
  await minute();
  expect([await alive(), await count()]).toEqual([1, ALL.length + 1]); // an elevator is in no feed
  expect(await subscriptions(store).countDocuments({ state: 'revoked', deletion: { $ne: null } })).toBe(2);
  expect((await verifyConsents(store, 'lender', new Map())).ok).toBe(true);
  await minute();
  expect(await count()).toBe(ALL.length + 1);
  await worker.run();
  expect(deletedAtCustomer()).toEqual([...ALL].sort());
  await text();
  await minute();
  expect([await count(), (await endings(store).findOne({ _id: '42' }))!.company.name]).toEqual([0, NAME]);
  expect(await traceForOperator(store, { type: 'tickets', id: '42-t1' })).toBeUndefined();
  await setTicketAside(); // by a delivery that was in flight
  await settle();
  await store.db.collection('waiting_pages').updateMany({}, { $set: { until: new Date(0) } });
  await minute();
  await expectGone();
  expect(await store.db.collection('waiting_pages').countDocuments({ laid: { $exists: true } })).toBe(0);
  expect(await integrations(store).findOne({ _id: id })).toMatchObject({
    ...{ name: 'closed', company: { id: '42', name: '42' } },
    closed: { reason: 'contract ended', at: expect.any(Date), erase_at: expect.any(Date) },
  });
  expect(await close(id)).toBeNull();
});

test('what is written once all is erased is found before the ending is over', async () => {
  await addEnded();
  await minute();
  await setTicketAside();
  await minute();
  expect(await endings(store).countDocuments()).toBe(1);
  await settle();
  await minute();
  await expectGone();
});

test('before its time nothing is deleted, and closed again with another time it is', async () => {
  const { id } = await addFull();
  await close(id, 30);
  await minute();
  expect(await alive()).toBe(ALL.length + 1);
  await close(id);
  await minute();
  expect(await alive()).toBe(1);
});

test('a company that another ERP pushes stays until that is closed', async () => {
  const { id } = await addFull();
  const { integration } = await addIntegration(store, { name: 'scale', company: COMPANY });
  await addLender();
  await close(id);
  await minute();
  expect(await alive()).toBe(ALL.length + 1);
  expect(await subscriptions(store).countDocuments({ state: 'granted' })).toBe(2);
  await close(integration._id, 30);
  await minute();
  expect(await alive()).toBe(ALL.length + 1); // the later time counts
  await close(integration._id);
  await minute();
  expect(await alive()).toBe(1);
});

test.each([
  ['deletes', 'endings', 'updateOne'],
  ['erases', 'tickets', 'deleteMany'],
])('an ERP that is added while a pass %s keeps what it pushes', async (_, where, what) => {
  const { id } = await addFull();
  await close(id);
  if (what === 'deleteMany') {
    await minute();
    await worker.run();
  }
  let isAdded = false;
  const raced = rewire(store, async ({ collection, method, run }) => {
    const done = await run();
    if (isAdded || collection !== where || method !== what) return done;
    isAdded = true;
    const { integration } = await addIntegration(store, { name: 'scale', company: COMPANY });
    const pushed = { first_at: new Date(), last_at: new Date(), records: 1, warnings: 0 };
    await notePushes(store, integration._id, { erp: 'scale', company: COMPANY, ...pushed });
    const again = {
      tickets: [
        { id: 't0', account_id: '1' },
        { id: 't9', account_id: '1' },
      ],
      elevators: [{ id: 'e', name: 'E' }],
    };
    await pushRecords(store, { ...again, settlements: [{ id: 's', account_id: '1' }] }, COMPANY);
    return done;
  });
  await settle();
  await minute(raced);
  await minute();
  expect(isAdded).toBe(true);
  const ids = ['tickets/42-t0', 'tickets/42-t9', 'settlements/42-s'];
  for (const [type, record] of ids.map((one) => one.split('/') as ['tickets', string]))
    expect([record, await findRecord(store, type, record)]).toEqual([record, expect.objectContaining({ deleted_at: null })]); // prettier-ignore
  expect(await store.db.collection('elevators').countDocuments({ company_id: '42' })).toBe(1);
  expect(await store.db.collection('push_activity').countDocuments({ erp: 'scale' })).toBe(1);
});

test('elevators of an ERP that is added right before those of the old one are erased stay', async () => {
  await addEnded();
  await asOf(new Date(Date.now() - DAY));
  await settle();
  const raced = rewire(store, async ({ collection, method, run }) => {
    if (collection === 'elevators' && method === 'deleteMany') {
      await addIntegration(store, { name: 'scale', company: COMPANY });
      await pushRecords(store, { elevators: [{ id: 'new', name: 'E' }] }, COMPANY);
    }
    return run();
  });
  await minute(raced);
  expect(await store.db.collection<{ _id: string }>('elevators').distinct('_id')).toEqual(['42-new']);
});

test('a pass that failed is continued by that of the next minute', async () => {
  const { id } = await addFull();
  await close(id);
  let fails = true;
  const away = rewire(store, ({ collection, run }) => {
    if (!fails || collection !== 'counters') return run();
    fails = false;
    return Promise.reject(new Error('away'));
  });
  await expect(minute(away)).rejects.toThrow('away');
  await minute();
  expect(await alive()).toBe(1);
});

test('what a push in flight brings back is deleted again before anything is erased', async () => {
  const { id } = await addFull();
  await close(id);
  await minute();
  await worker.run();
  await pushRecords(store, { tickets: [{ id: 'late', account_id: '1', note: BYTES }] }, COMPANY);
  await minute();
  expect([await count(), await alive()]).toEqual([ALL.length + 2, 1]);
  await worker.run();
  await minute();
  expect([await count(), deletedAtCustomer()]).toEqual([0, [...ALL, '42-late'].sort()]);
});

test('a reset and a new channel are waited for, a paused customer for 30 days', async () => {
  const { id } = await addFull();
  await close(id);
  await minute();
  await worker.run();
  await markers(store).updateOne({ _id: 'all/tickets' }, { $set: { position: 0 } });
  await minute();
  expect(await count()).toBe(ALL.length + 1);
  await worker.run();
  await addTestChannel(store, 'new', customer.baseUrl, { companies: ['42'], entity_types: ['tickets'] });
  await startMarker(store, 'new', 'tickets', 0);
  await pauseChannel(store, 'new', 'harvest');
  await addTestChannel(store, 'elsewhere', customer.baseUrl, { companies: ['43'] });
  await minute();
  expect(await count()).toBe(ALL.length + 1);
  const erase_at = new Date(Date.now() - 31 * DAY);
  await asOf(erase_at);
  await minute();
  expect(await count()).toBe(0);
});

test('two processes do it once', async () => {
  const { id } = await addFull();
  await close(id);
  const before = await store.db
    .collection<{ _id: string; position: number }>('counters')
    .findOne({ _id: 'tickets' });
  await Promise.all([minute(), minute(), minute()]);
  const after = await store.db
    .collection<{ _id: string; position: number }>('counters')
    .findOne({ _id: 'tickets' });
  expect(after!.position - before!.position).toBe(TICKETS);
});

test('a record that is pushed again at the moment of its erasure stays', async () => {
  await addFull();
  await eraseRecord(store, 'tickets', '42-t1', 'a mistake');
  await minute();
  await worker.run();
  let pushes = 0;
  const raced = rewire(store, async ({ collection, method, run }) => {
    const again = { tickets: [{ id: 't1', account_id: '1', note: 'again' }] };
    if (collection === 'tickets' && method === 'deleteMany' && pushes++ === 0)
      await pushRecords(store, again);
    return run();
  });
  await minute(raced);
  expect(pushes).toBeGreaterThan(0);
  expect(await findRecord(store, 'tickets', '42-t1')).toMatchObject({ deleted_at: null });
});

test('one record is deleted at its customers and erased alone', async () => {
  await addFull();
  await worker.run();
  await setTicketAside();
  await eraseRecord(store, 'tickets', '42-t1', 'a mistake');
  await minute();
  expect([await alive(), await count()]).toEqual([ALL.length, ALL.length + 1]);
  await worker.run();
  expect(deletedAtCustomer()).toEqual(['42-t1']);
  await minute();
  await setTicketAside(); // by a delivery that was in flight
  await settle();
  await minute();
  expect([
    await findRecord(store, 'tickets', '42-t1'),
    await count(),
    await endings(store).countDocuments(),
  ]).toEqual([null, ALL.length, 0]);
  expect(await store.db.collection('set_aside').countDocuments()).toBe(0);
});

test('a record that is erased takes nothing with it that was refused or asked for again of another type with its id', async () => {
  const one = [{ id: '7', account_id: '1' }];
  await pushRecords(store, { tickets: one, settlements: one, contracts: one });
  await worker.run();
  await setAside(store, {
    channel: 'all',
    entity_type: 'settlements',
    record: '42-7',
    position: 1,
    ...refused,
  });
  const again = { channel: 'all', entity_type: 'contracts' } as const;
  await releaseForResend(store, again, [{ id: '42-7', position: 1 }]);
  await eraseRecord(store, 'tickets', '42-7', 'a mistake');
  await minute();
  await markers(store).updateOne({ _id: 'all/tickets' }, { $set: { position: 9 } });
  await minute();
  expect(await findRecord(store, 'tickets', '42-7')).toBeNull();
  expect((await store.db.collection('set_aside').distinct('entity_type')).sort()).toEqual([
    'contracts',
    'settlements',
  ]);
});

test.each([
  ['a customer', 'active'],
  ['a customer whose channel is closed', 'closed'],
])('what %s has answered about records is erased with them', async (_, state) => {
  const { id } = await addFull();
  customer.script = ({ body }) => ({ status: 422, body: `cannot take ${body.toString()}` });
  await worker.run();
  customer.script = () => 200;
  await worker.run();
  expect(await bytes()).toContain('deliveries');
  const answers = 'failed_attempts.answer';
  const reports = store.db.collection('deliveries');
  expect(await reports.countDocuments({ [answers]: { $gt: '' } })).toBeGreaterThan(0);
  if (state === 'closed') {
    const closed = { reason: 'left', at: new Date(), forgotten_at: new Date() };
    await store.db.collection('channels').updateMany({}, { $set: { state, closed } });
  }
  await close(id);
  await minute();
  await worker.run();
  await text();
  await minute();
  await settle();
  await minute();
  await expectGone();
  expect(await reports.countDocuments({ [answers]: '' })).toBeGreaterThan(0);
});

test('a farmer who is not told by text is waited for, for 30 days', async () => {
  const { id } = await addFull();
  await addLender();
  await close(id);
  await minute();
  await worker.run();
  await minute();
  expect(await count()).toBe(ALL.length + 1);
  const erase_at = new Date(Date.now() - 31 * DAY);
  await asOf(erase_at);
  await minute();
  expect(await count()).toBe(0);
});

test('a deletion that a customer has refused is waited for', async () => {
  await pushRecords(store, { tickets: [{ id: 't', account_id: '1' }] });
  await worker.run();
  await eraseRecord(store, 'tickets', '42-t', 'a mistake');
  await minute();
  customer.script = ({ records }) => (records.some(({ deleted_at }) => deleted_at !== null) ? 422 : 200);
  for (let n = 0; n < 4; n++) {
    const tickets = ['other', 'more'].map((id) => ({ id: `${id}${n}`, account_id: '1' }));
    await pushRecords(store, { tickets });
    await worker.run();
  }
  customer.script = () => 200;
  await minute();
  expect([await findRecord(store, 'tickets', '42-t'), deletedAtCustomer()]).not.toContain(null);
  const [refused] = await listSetAside(store, 'all');
  await releaseForResend(store, { channel: 'all', entity_type: 'tickets' }, [
    { id: '42-t', position: refused!.position },
  ]);
  await minute();
  expect(await findRecord(store, 'tickets', '42-t')).not.toBeNull();
  customer.pages.length = 0;
  await worker.run();
  expect(deletedAtCustomer()).toEqual(['42-t']);
  await minute();
  expect(await findRecord(store, 'tickets', '42-t')).toBeNull();
});

test('a deletion that a catch-up has still to send is waited for', async () => {
  await addTestChannel(store, 'lender', customer.baseUrl, { scope: 'subscribed' });
  const lender = new ActivityWorker('lender', { store, agent, customer });
  const [key, other] = keysOf();
  const tickets = [
    { id: 't', account_id: '1' },
    { id: 'o', account_id: '2' },
  ];
  await pushRecords(store, { tickets });
  const granting = async (keys: object[]) =>
    grantAccounts(store, (await findChannel(store, 'lender'))!, keys as ReturnType<typeof keysOf>);
  await granting([key!, other!]);
  await lender.run();
  await lender.run();
  await revokeAccounts(store, [key!]);
  await eraseRecord(store, 'tickets', '42-t', 'a mistake');
  // The marker passes the deletion, which is not shared at that moment.
  await pushRecords(store, { tickets: [{ id: 't', deleted: true }] });
  await pushRecords(store, { tickets: [{ ...tickets[1]!, note: 'again' }] });
  await lender.run();
  await pauseChannel(store, 'lender', 'harvest');
  await granting([key!]);
  await worker.run();
  await minute();
  await minute();
  customer.pages.length = 0;
  await resumeChannel(store, 'lender');
  await lender.run();
  await lender.run();
  expect(deletedAtCustomer()).toEqual(['42-t']);
  await minute();
  expect(await findRecord(store, 'tickets', '42-t')).toBeNull();
});

test('closed again with a later time, a company keeps what the pass in progress has not deleted', async () => {
  const { id } = await addFull();
  await close(id);
  let isMoved = false;
  const raced = rewire(store, async ({ collection, method, run }) => {
    const done = await run();
    if (!isMoved && collection === 'endings' && method === 'updateOne') {
      isMoved = true;
      await close(id, 30);
    }
    return done;
  });
  await minute(raced);
  expect([isMoved, (await alive()) > TICKETS]).toEqual([true, true]);
});

scaledTest(
  'killed at random and run again, nothing is half closed, and other companies have their pages',
  async () => {
    const random = randomOf(SEED);
    const play = async (id: string, through = store) => {
      await close(id, 0, through);
      await minute(through);
      await worker.run();
      await text();
      await minute(through);
      await settle();
      await minute(through);
    };
    const whole = dyingAt(store, Infinity, false);
    const { id: first } = await addFull();
    await addLender();
    await play(first, whole.through);
    await expectGone();
    for (let kill = 0; kill < KILLS; kill++) {
      const { id } = await addFull();
      await addLender();
      const { through } = dyingAt(store, 1 + Math.floor(random() * whole.calls()), random() < 0.5);
      await play(id, through).catch((error: Error) => expect([SEED, kill, error.message]).toEqual([SEED, kill, expect.stringMatching(/killed/)])); // prettier-ignore
      const n = randomUUID();
      await pushRecords(store, { tickets: [{ id: 'theirs', account_id: '9', n }] }, OTHER);
      await worker.run();
      const last = customer.pages.flatMap(({ records }) => records).filter((one) => one.id === '43-theirs');
      expect(last.at(-1)!['n']).toBe(n);
      await endings(store).updateMany({}, { $unset: { taken_until: 1 } }); // three minutes later
      if (await endings(store).findOne({ _id: '42' })) await play(id);
      else if (await findRecord(store, 'tickets', '42-t1')) await play(id);
      await expectGone();
    }
    expect(whole.calls()).toBeGreaterThan(50);
  },
  600_000,
);

nightlyTest(
  'while a company is erased, the pages of another are at most 1.3 times as late',
  async () => {
    const { id } = await addFull();
    for (let batch = 0; batch < 6; batch++) {
      const tickets = Array.from({ length: 500 }, (_, n) => ({ id: `t${batch}-${n}`, account_id: '1' }));
      await pushRecords(store, { tickets }, COMPANY);
    }
    await addTestChannel(store, 'theirs', customer.baseUrl, { companies: [OTHER.id] });
    const theirs = new ActivityWorker('theirs', { store, agent, customer });
    await theirs.run();
    const page = async () => {
      await pushRecords(store, { tickets: [{ id: 'theirs', account_id: '9', n: randomUUID() }] }, OTHER);
      await theirs.run();
    };
    await close(id);
    await worker.run();
    const { pages, ratio } = await lateBeside(page, () => eraseEnded(parts(), new Date()));
    expect(await alive()).toBe(1);
    expect(pages).toBeGreaterThan(20);
    expect(ratio).toBeLessThan(1.3);
  },
  300_000,
);
