import { setTimeout } from 'node:timers/promises';
import { shareAccounts } from '../../control/share-accounts';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { endDays } from '../../domain/consent/grant-end';
import { findChannel } from '../../store/channels/channels';
import { subscriptions } from '../../store/consent/subscriptions';
import { deliveries } from '../../store/deliveries/deliveries';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type Received, type Script } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { actsOf } from '../setup/share-accounts';
import { accountsNamed } from '../sharing/accounts-named';
import { TestFeed } from '../workflows/test-feed';
import {
  accountsOf,
  addFarmersChannel,
  type Farmers,
  OTHER_PHONE,
  PHONE,
  startFarmers,
} from './start-farmers';
import { untilPassed } from './until-passed';
import type { Visitor } from './visitor';

// A real run: a worker delivers through Temporal, the farmer goes through the pages, the customer is a server of its own.
const SLUG = 'insurer';
const REFUSED = 'T-refused';
const SOON_MS = 500;
const PHONES = [{ phone: PHONE }];

let feed: TestFeed;
let farmers: Farmers;
let customer: FakeCustomer;
let visitor: Visitor;
/** The type of which the customer takes no page. */
let away: EntityType | undefined;

const answer: Script = ({ entityType, records }) => {
  if (entityType === away) return 503;
  return records.some(({ remote_id }) => remote_id === REFUSED) ? 422 : 200;
};

beforeAll(async () => {
  feed = await TestFeed.start();
  farmers = await startFarmers({ store: feed.store, temporal: feed.worker.temporal });
  customer = await FakeCustomer.start(answer);
  await addFarmersChannel(farmers, SLUG, {
    base_url: customer.baseUrl,
    entity_types: [...ENTITY_TYPES],
    page_size: 2,
    cadence_ms: 24 * 3_600_000, // what happens, a signal has caused
  });
});

const push = (records: Partial<Record<EntityType, object[]>>) => pushRecords(feed.store, records);
/** A record of each account: `C-1` of account 1, ... */
const ofEach = (letter: string) =>
  ['1', '2', '3', '8'].map((account_id) => ({ id: `${letter}-${account_id}`, account_id }));

const untilAllPassed = () => untilPassed(feed.store, { slug: SLUG, types: ENTITY_TYPES });
async function deliver(): Promise<void> {
  await feed.deliverNow(SLUG);
  await untilAllPassed();
}

const share = (account: string, partner_id: string, more = {}) =>
  farmers.share([account], { partner_slug: SLUG, partner_id }, more);

/** The code that a copy needs is entered. */
async function proveCopy(): Promise<void> {
  await visitor.get('/sharing/customers');
  await visitor.submit({ copy: SLUG });
  await visitor.submit({ do: 'resend' });
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
}

/** The end that was chosen for an account comes at once. */
async function endNow(account: string): Promise<void> {
  const channel = (await findChannel(feed.store, SLUG))!;
  const granted = (await subscriptions(feed.store).findOne({ account, state: 'granted' }))!;
  const { partner_id, farmer } = granted;
  const ends_at = new Date(Date.now() + SOON_MS);
  const acts = actsOf('grant', [{ channel: SLUG, partner_id, farmer, account }], channel.entity_types);
  const moves = acts.map((act) => ({ ...act, ends_at }));
  const parts = { store: feed.store, temporal: feed.worker.temporal };
  await shareAccounts(parts, channel, { revokes: [], moves }, { requestId: 'test', phoneEnding: '42' });
  await setTimeout(SOON_MS);
}

const byId = (records: Received[]) =>
  records.map((record) => [record.id, record] as const).sort(([one], [other]) => (one < other ? -1 : 1));

/** The farmer's copy, by type. It comes once an hour. */
async function copied(): Promise<(type: EntityType) => Received[]> {
  await farmers.forgetAttempts();
  const { headers, html } = await visitor.get('/sharing/copy/file');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="grain-records-.+\.json"$/);
  const copy = JSON.parse(html) as Partial<Record<EntityType, Record<string, Received>[]>>;
  return (type) => (copy[type] ?? []).flatMap((wrapper) => Object.values(wrapper));
}

/** What the customer has confirmed and holds of records that have named one of these accounts. */
function heldOf(type: EntityType, accounts: string[]): Received[] {
  const confirmed = customer.confirmed(type).flatMap(({ records }) => records);
  const theirs = confirmed.filter((record) =>
    accountsNamed(type, record).some((account) => accounts.includes(account)),
  );
  const ids = new Set(theirs.map(({ id }) => id));
  return [...customer.holds(type).values()].filter(({ id }) => ids.has(id));
}

/**
 * The copy of these accounts is what the customer holds of them, and the reports count it.
 * @param toCome what the copy lacks although an older version is held: the change was not sent yet
 * @param refused how many records the copy has although the customer has refused them: they were sent
 */
async function expectCopied(accounts: string[], { toCome = [] as string[], refused = 0 } = {}) {
  const posted = customer.pages.flatMap(({ records }) => records);
  const last = posted.findLast(({ remote_id }) => remote_id === REFUSED);
  const expected = (type: EntityType) => [
    ...heldOf(type, accounts).filter(({ remote_id }) => !toCome.includes(remote_id)),
    ...(type === 'tickets' && last ? [last] : []),
  ];
  const copy = await copied();
  for (const type of ENTITY_TYPES) expect([type, byId(copy(type))]).toEqual([type, byId(expected(type))]);
  await expectReported(refused);
}

/** The report of each delivery counts the records that the customer has confirmed of it, and those set aside. */
async function expectReported(refused: number): Promise<void> {
  const confirmed = new Map<string, Set<string>>();
  for (const { headers, records } of customer.confirmed()) {
    const delivery = String(headers['x-delivery-id']);
    const of = confirmed.get(delivery) ?? new Set();
    // The search for a refused record may send another one twice.
    for (const { id, updated_at } of records) confirmed.set(delivery, of.add(`${id} ${updated_at}`));
  }
  const counts = Object.fromEntries([...confirmed].map(([delivery, { size }]) => [delivery, size]));
  await eventually(async () => {
    const reports = await deliveries(feed.store).find({ channel: SLUG }).toArray();
    const sent = reports.filter(({ records }) => records > 0);
    expect(Object.fromEntries(sent.map(({ _id, records }) => [_id, records]))).toEqual(counts);
    expect(reports.reduce((sum, { set_aside = 0 }) => sum + set_aside, 0)).toBe(refused);
  }, 30_000);
}

test('in a real run a farmer’s copy is what the customer has confirmed, record by record, and the reports count it', async () => {
  await push({
    accounts: [...accountsOf(PHONE, 3), { id: '8', name: 'Neighbour', phones: [{ phone: OTHER_PHONE }] }],
    contracts: ofEach('C'),
    tickets: [
      ...ofEach('T'),
      { id: 'T-moved', account_id: '1' },
      { id: 'T-split', splits: ['1', '8'].map((account_id) => ({ account_id, split_percent: 50 })) },
    ],
    settlements: ofEach('S'),
  });
  visitor = await share('42-1', 'for-good');
  await share('42-2', 'ends', { ends_on: endDays(new Date(), []).last });
  await untilAllPassed();
  await proveCopy();
  await expectCopied(['42-1', '42-2']);
  const first = await copied();
  expect(first('tickets').map(({ remote_id }) => remote_id)).toEqual(['T-1', 'T-2', 'T-moved', 'T-split']);

  // Changed and sent again, corrected away, and refused by itself.
  await push({
    accounts: [{ id: '1', name: 'Meyer & Sons', phones: PHONES }],
    tickets: [
      { id: 'T-1', account_id: '1', load_number: 'changed' },
      { id: REFUSED, account_id: '1' },
      { id: 'T-moved', account_id: '3' },
    ],
    settlements: [{ id: 'S-2', account_id: '2', settlement_number: 'changed' }],
  });
  await deliver();
  await expectCopied(['42-1', '42-2'], { refused: 1 });
  const second = await copied();
  expect(second('accounts')).toMatchObject([{ name: 'Meyer & Sons' }, { remote_id: '2' }]);
  expect(second('tickets').find(({ remote_id }) => remote_id === 'T-moved')).toHaveProperty('deleted_at');

  // Pages that are not confirmed.
  away = 'contracts';
  await push({
    contracts: [
      { id: 'C-1', account_id: '1', contract_number: 'changed' },
      { id: 'C-new', account_id: '2' },
    ],
  });
  await feed.deliverNow(SLUG);
  await eventually(() => expect(customer.pages.map(({ status }) => status)).toContain(503));
  await expectCopied(['42-1', '42-2'], { toCome: ['C-1'], refused: 1 });
  away = undefined;
  await deliver();
  await expectCopied(['42-1', '42-2'], { refused: 1 });

  // One of the two grants ends.
  await endNow('42-2');
  await push({ tickets: ['1', '2'].map((account_id) => ({ id: `T-late-${account_id}`, account_id })) });
  await deliver();
  expect(customer.holds('tickets').has('42-T-late-2')).toBe(false);
  await expectCopied(['42-1'], { refused: 1 });
  const ended = await copied();
  expect(ENTITY_TYPES.map((type) => ended(type).map(({ remote_id }) => remote_id))).toEqual([
    ['1'],
    ['C-1'],
    ['T-1', 'T-late-1', 'T-moved', 'T-refused', 'T-split'],
    ['S-1'],
  ]);
  expect(JSON.stringify(ENTITY_TYPES.map(ended))).not.toMatch(/42-(2|3|8)"/);
});
