import { nightlyTest } from '../setup/cases';
import { setTimeout } from 'node:timers/promises';
import type { EntityType } from '../../domain/records/entity-types';
import type { ChannelSettings } from '../../store/channels/channels';
import { verifyConsents } from '../../store/consent/verify-consents';
import { readCeilings } from '../../store/records/counters';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type ReceivedPage } from '../setup/fake-customer';
import { recordedRuns } from '../workflows/read-history';
import { TestFeed } from '../workflows/test-feed';
import { WorkerProcess } from '../workflows/worker-process';
import { addFarmersChannel, linkTo, TextsInHand } from './start-farmers';
import { untilPassed } from './until-passed';
import { rowsIn, Visitor } from './visitor';

// The whole way on real parts: an ERP pushes over HTTP, a farmer goes through the page, a worker's process delivers.
// Both accounts have this phone, which is planted: it is searched for wherever it must not be.
const PHONE = '7015557391';
const [CHOSEN, OTHER] = ['42-1001', '42-1002'] as const;

const texts = new TextsInHand();
const visitors: Visitor[] = [];
const links: string[] = [];
let feed: TestFeed<WorkerProcess>;
let api: Api;
let token: string;
let acme: Customer;
let bank: Customer;

beforeAll(async () => {
  feed = await TestFeed.startWith((_, databaseUri) => WorkerProcess.start(databaseUri));
  api = await startApi({ store: feed.store, temporal: feed.worker.temporal, sender: texts });
  token = await integrationToken(feed.store);
  acme = await addCustomer('acme');
  bank = await addCustomer('bank', { page_size: 5, entity_types: ['tickets'] });
});

type Customer = Awaited<ReturnType<typeof addCustomer>>;

async function addCustomer(slug: string, settings: Partial<ChannelSettings> = {}) {
  const server = await FakeCustomer.start();
  const { channel, apiKey } = await addFarmersChannel(api, slug, {
    base_url: server.baseUrl,
    cadence_ms: 24 * 3_600_000, // what happens, a signal has caused
    ...settings,
  });
  return { slug, server, apiKey, types: channel.entity_types };
}

async function push(records: Partial<Record<EntityType, object[]>>): Promise<void> {
  const data = Object.entries(records).map(([type, list]) => ({ [`update-${type}`]: { [type]: list } }));
  const { status } = await api.ask('POST', '/api/v1/push', { token, body: { data } });
  expect(status).toBe(204);
}

/** One record a type for each of the two accounts, named after its account: `1001-early`. */
function ofBoth(name: string) {
  const records = ['1001', '1002'].map((account_id) => ({ id: `${account_id}-${name}`, account_id }));
  return { contracts: records, tickets: records, settlements: records };
}

const accounts = (name: string) =>
  ['1001', '1002'].map((id) => ({ id, name: `${name} ${id}`, phones: [{ phone: PHONE }] }));

/** A farmer who has proven the phone and sees both accounts. */
async function signIn(to: Customer, partner_id = 'policy-1'): Promise<Visitor> {
  await feed.store.db.collection('attempt_counts').deleteMany({});
  const visitor = new Visitor(api.port);
  visitors.push(visitor);
  await visitor.get(linkTo({ partner_slug: to.slug, partner_id, phone: PHONE }));
  await submit(visitor, {});
  await submit(visitor, { code: texts.codeFor(PHONE) });
  expect(rowsIn(visitor.page.html).map(({ id }) => id)).toEqual([CHOSEN, OTHER]);
  return visitor;
}

async function submit(visitor: Visitor, fields: Record<string, string | string[]>): Promise<void> {
  await visitor.submit(fields);
  for (const [, link] of visitor.page.html.matchAll(/(?:href|action)="([^"]*)"/g)) links.push(link!);
}

/** Up to the check page: only the button that saves is left to press. */
async function choose(to: Customer, account: string[]): Promise<Visitor> {
  const visitor = await signIn(to);
  await submit(visitor, { account });
  return visitor;
}

async function save(visitor: Visitor): Promise<void> {
  await submit(visitor, { do: 'save' });
  expect(visitor.page).toMatchObject({ status: 200, path: '/subscriptions/done' });
}

const ticked = ({ page }: Visitor) => rowsIn(page.html).flatMap((row) => (row.ticked ? [row.id] : []));

/** What the customer is told when it asks what is shared with it. */
async function listed({ slug, apiKey }: Customer, query = ''): Promise<string[]> {
  const answer = await api.ask('GET', `/api/v1/channels/${slug}/subscriptions${query}`, { token: apiKey });
  return answer.json.data.map(({ account }: { account: { id: string } }) => account.id);
}

const passed = (customer: Customer) => untilPassed(feed.store, customer);

async function deliver(customer: Customer): Promise<void> {
  await feed.deliverNow(customer.slug);
  await passed(customer);
}

const held = ({ server }: Customer, type: EntityType) => [...server.holds(type).keys()].sort();

const naming = (pages: ReceivedPage[], account: string) => pages.filter(({ body }) => body.includes(account));

test('one of two accounts is chosen: its earlier and later records come, nothing of the other', async () => {
  await push({ accounts: accounts('Meyer Farms'), ...ofBoth('early') });
  await deliver(acme);
  expect(acme.server.pages).toEqual([]);
  // A customer that gives back what it was sent: its answer must not carry the phone into a log or a history.
  acme.server.script = ({ body }) => {
    acme.server.script = () => 200;
    return { status: 500, body: body.toString() };
  };
  await save(await choose(acme, [CHOSEN]));
  await passed(acme);
  expect(held(acme, 'accounts')).toEqual([CHOSEN]);
  expect(held(acme, 'tickets')).toEqual([`${CHOSEN}-early`]);

  await push({ accounts: accounts('Meyer & Sons'), ...ofBoth('late') });
  await deliver(acme);
  expect(acme.server.holds('accounts').get(CHOSEN)).toMatchObject({ name: 'Meyer & Sons 1001' });
  for (const type of ['contracts', 'tickets'] as const) {
    expect(held(acme, type)).toEqual([`${CHOSEN}-early`, `${CHOSEN}-late`]);
  }
  expect(held(acme, 'settlements')).toEqual([]);
  expect(naming(acme.server.pages, OTHER)).toEqual([]);
  expect(await listed(acme)).toEqual([CHOSEN]);
});

test('another partner_id sees no choice; the one that chose finds its own', async () => {
  expect(ticked(await signIn(acme, 'policy-2'))).toEqual([]);
  expect(await listed(acme, '?partner_id=policy-2')).toEqual([]);
  expect(ticked(await signIn(acme))).toEqual([CHOSEN]);
});

test('after the revoke, 40 pushes of the account bring nothing more', async () => {
  await save(await choose(acme, []));
  expect(await listed(acme)).toEqual([]);
  const before = acme.server.pages.length;
  for (let round = 1; round <= 4; round++) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => push(ofBoth(`${round}-${index}`))));
    await deliver(acme);
  }
  expect((await readCeilings(feed.store)).tickets).toBeGreaterThanOrEqual(80);
  expect(acme.server.pages.slice(before)).toEqual([]);
});

describe('revoked in the middle of a slow delivery', () => {
  /** @returns the requests that began after the revoke was answered, which the customer's n-th page brings about */
  async function revokeDuring(nth: number, start: () => Promise<void>): Promise<ReceivedPage[]> {
    const { server } = bank;
    const first = server.pages.length;
    let answered: number | undefined;
    server.script = async () => {
      const slow = setTimeout(300);
      if (server.pages.length === first + nth) {
        await started;
        await save(await choose(bank, [OTHER]));
        answered = server.pages.length;
      }
      await slow;
      return 200;
    };
    const started = start();
    await eventually(() => expect(answered).toBe(first + nth));
    await passed(bank);
    expect(naming(server.pages.slice(first, answered), CHOSEN).length).toBeGreaterThan(0);
    return server.pages.slice(answered);
  }

  nightlyTest('the window goes on without the account', async () => {
    await push({ accounts: accounts('Meyer Farms') });
    await deliver(bank);
    await save(await choose(bank, [CHOSEN, OTHER]));
    await passed(bank);
    const tickets = Array.from({ length: 15 }, (_, index) => ofBoth(`slow-${index}`).tickets).flat();
    await push({ tickets });
    const rest = await revokeDuring(3, () => feed.deliverNow('bank'));
    expect(naming(rest, CHOSEN)).toEqual([]);
    expect(naming(rest, OTHER).length).toBeGreaterThan(0);
    expect(held(bank, 'tickets').filter((id) => id.startsWith(`${OTHER}-slow`))).toHaveLength(15);
  });

  nightlyTest('the catch-up of the account ends', async () => {
    const granting = await choose(bank, [CHOSEN, OTHER]);
    expect(await revokeDuring(2, () => save(granting))).toEqual([]);
    expect(await listed(bank)).toEqual([OTHER]);
    // two grants, a revoke, a grant and a revoke
    expect(await verifyConsents(feed.store, 'bank')).toMatchObject({ ok: true, links: 5 });
  });
});

test('the phone is in no log, no history and no address after the first', async () => {
  const malformed = { accounts: [{ id: '1003', name: 7, phones: [{ phone: `+1 ${PHONE}` }] }] };
  const body = { data: [{ 'update-accounts': malformed }] };
  expect((await api.ask('POST', '/api/v1/push', { token, body })).status).toBe(422);
  const runs = await recordedRuns(feed.client, '');
  await eventually(() => expect(feed.worker.log).toContain('delivery/acme/tickets'));
  const searched = {
    'API log': JSON.stringify(api.lines),
    'worker log': feed.worker.log,
    histories: runs.map(({ events }) => textIn(events)).join('\n'),
    addresses: [...visitors.flatMap(({ paths }) => paths.slice(1)), ...links].join('\n'),
  };
  // What must be found shows that the search can find.
  expect(searched['API log']).toContain('/subscriptions/check');
  expect(searched.histories).toMatch(/subscriptionsChanged[^]*"entity_type":"tickets"[^]*answered 500/);
  expect(searched.addresses).toContain('/subscriptions/leave');
  for (const [where, text] of Object.entries(searched)) {
    const found = text.match(/.{0,60}701\W{0,4}555\W{0,2}7391.{0,20}/);
    expect([where, found?.[0]]).toEqual([where, undefined]);
  }
});

/** All the text in a history, payloads decoded. */
function textIn(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (typeof value === 'string') return value;
  return value && typeof value === 'object' ? Object.values(value).map(textIn).join(' ') : '';
}

test('the ledger holds after all of it', async () => {
  // a grant, a refusal and a revoke
  expect(await verifyConsents(feed.store, 'acme')).toMatchObject({ ok: true, links: 3 });
});
