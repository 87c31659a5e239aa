import fc from 'fast-check';
import { traceForCustomer, traceForOperator } from '../../control/trace-record';
import { formatInstant } from '../../domain/time/instants';
import { findChannel, pauseChannel } from '../../store/channels/channels';
import { addOperator } from '../../store/callers/operators';
import { subscriptions } from '../../store/consent/subscriptions';
import { closeDeliveryReport, openDeliveryReport, reportProgress } from '../../store/deliveries/deliveries';
import { releaseForResend, setAside } from '../../store/deliveries/set-aside';
import { readDigestBase } from '../../store/digest/digest-base';
import { digestRecords } from '../../store/digest/digest-records';
import { beginMarkers, noteUnconfirmed, startMarker } from '../../store/markers/markers';
import { layPage } from '../../store/markers/waiting-pages';
import type { Store } from '../../store/store';
import { type Around, rewire } from '../commit-order/rewire';
import { tryKey } from '../customer-page/customer-browser';
import { startOps, type Ops } from '../ops/start-ops';
import { addTestChannel } from '../setup/add-test-channel';
import { played, scaledTest, toldAtOnce } from '../setup/cases';
import { emptyStore } from '../setup/open-store';
import { COMPANY, pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { openSharedScene } from '../sharing/open-shared-scene';

const SLUG = 'acme';
const ID = '42-T-1';
const asked = { type: 'tickets', id: ID } as const;
const LANE = { channel: SLUG, entity_type: 'tickets' } as const;
const GRANT = { channel: SLUG, partner_id: 'policy-1', farmer: 'f', account: '42-1001' };

const ticket = (id: string, account_id = '1001', more = {}) => ({ id, account_id, ...more });
const inCollection = (store: Store, name: string) => store.db.collection<{ _id: string }>(name);
const marked = (store: Store, position: number) => startMarker(store, SLUG, 'tickets', position);
const share = async (store: Store, earlier = true) =>
  grantAccounts(store, (await findChannel(store, SLUG))!, [GRANT], '42', earlier);
const begun = (store: Store) => subscriptions(store).updateMany({}, { $set: { to_begin: [] } });

const report = (store: Store, run = 1, to = 1) =>
  openDeliveryReport(
    store,
    {
      ...{ ...LANE, _id: `delivery/acme/tickets/${run}`, catch_up: false, run, trigger: 'schedule' },
      ...{ from: 0, to, workflow_run_id: 'w' },
    },
    30,
  );
const END = {
  status: 'delivered',
  failure: null,
  failure_message: null,
  attempts: 1,
  duration_ms: 1,
} as const;

/** The page that waits for a customer who collects, by this epoch of the marker. */
async function layOne(store: Store, position: number, epoch = 0) {
  await inCollection(store, 'waiting_pages').insertOne({ _id: 'acme/tickets', ...LANE, asks: 1 } as never);
  const progress = { delivery: 'd', pages: 1, records: 1, bytes: 1 };
  const move = { ...LANE, to: { position, timestamp: new Date(), progress }, set_aside: [], released: [] };
  await layPage(store, 'acme/tickets', {
    ...{ page: 'msg_1', until: new Date(Date.now() + 60_000), asks: 1, shares_version: 0, headers: {} },
    ...{ fence: { id: 'acme/tickets', epoch }, body: Buffer.from('{}') },
    confirmation: { move, done: progress, accounts: [] },
  });
}

const refused = {
  ...LANE,
  record: ID,
  failure: 'refused',
  status: 422,
  answer: 'no',
  delivery: 'd',
} as const;

interface Reason {
  outcome: string;
  says: string;
  settings?: Parameters<typeof addTestChannel>[3];
  prepare?: (store: Store) => Promise<unknown>;
  /** A customer reads what it reads of a record that is not there. */
  hidden?: true;
}

const FARMERS = { scope: 'subscribed' } as const;
const REASONS: Reason[] = [
  {
    outcome: 'company_not_carried',
    says: 'Never: the channel does not carry its company.',
    settings: { companies: ['7'] },
    hidden: true,
  },
  {
    outcome: 'type_not_carried',
    says: 'Never: the channel does not carry tickets.',
    settings: { entity_types: ['accounts'] },
    hidden: true,
  },
  { outcome: 'not_shared', says: 'no farmer shares account 42-1001 with', settings: FARMERS, hidden: true },
  {
    outcome: 'not_shared',
    says: 'Never, as it is now: no farmer shares',
    settings: FARMERS,
    prepare: async (store) => {
      await share(store);
      await marked(store, 1);
      await revokeAccounts(store, [GRANT]);
    },
    hidden: true,
  },
  {
    outcome: 'not_shared',
    says: 'as it is now: no farmer shares account 42-1001',
    settings: FARMERS,
    prepare: async (store) => {
      await share(store);
      await subscriptions(store).updateMany({}, { $set: { to_begin: [], ends_at: new Date(0) } });
    },
    hidden: true,
  },
  {
    outcome: 'before_grant',
    says: 'Not before it changes: account 42-1001 is shared without its earlier records.',
    settings: FARMERS,
    prepare: (store) => share(store, false),
    hidden: true,
  },
  {
    outcome: 'before_since',
    says: 'the channel began after its last change.',
    prepare: (store) => beginMarkers(store, SLUG, new Map([['tickets', 1]])),
  },
  {
    outcome: 'set_aside',
    says: 'answered 422 to it: “no”. It is sent again once it changes, or is released.',
    prepare: async (store) => {
      await marked(store, 1);
      await setAside(store, { ...refused, position: 1 });
    },
  },
  {
    outcome: 'paused',
    says: 'Not yet: the channel is paused (harvest). It is sent once the channel is resumed.',
    prepare: (store) => pauseChannel(store, SLUG, 'harvest'),
  },
  {
    outcome: 'held_back',
    says: 'asked for time until 2100-01-01T00:00:00.000Z (Retry-After).',
    prepare: async (store) => {
      await marked(store, 0);
      const not_before = new Date('2100-01-01T00:00:00Z');
      await noteUnconfirmed(store, 'acme/tickets', { unanswered: false, not_before });
    },
  },
  {
    outcome: 'asked_again',
    says: 'Not yet: it was asked for again on ',
    prepare: async (store) => {
      await marked(store, 1);
      await releaseForResend(store, LANE, [{ id: ID, position: 1 }]);
    },
  },
  {
    outcome: 'catch_up_not_begun',
    says: 'Not yet: the catch-up of account 42-1001 has not begun.',
    settings: FARMERS,
    prepare: async (store) => {
      await marked(store, 1);
      await share(store);
    },
  },
  {
    outcome: 'catch_up',
    says: 'Not yet: it is in the catch-up of account 42-1001, which has begun.',
    settings: FARMERS,
    prepare: async (store) => {
      await marked(store, 1);
      await share(store);
      await begun(store);
      const open = {
        _id: 'acme/tickets/42-1001',
        ...LANE,
        account: '42-1001',
        position: 0,
        until: 1,
        total: 1,
      };
      await inCollection(store, 'markers').insertOne(open);
    },
  },
  {
    outcome: 'page_waits',
    says: 'Not yet: its page msg_1 waits for',
    settings: { delivery: 'pull', base_url: '' },
    prepare: async (store) => {
      await marked(store, 0);
      await layOne(store, 1);
    },
  },
  {
    outcome: 'in_delivery',
    says: 'it is in delivery/acme/tickets/1, which is in progress. The last answer: answered 503.',
    prepare: async (store) => {
      await marked(store, 0);
      await report(store);
      const failed = {
        ...{ at: new Date(), failure: 'unavailable', status: 503, answer: '', request_id: 'x' },
        reason: 'answered 503',
      };
      const none = { pages: 0, records: 0, bytes: 0, set_aside: 0, probes: 0 };
      await reportProgress(store, 'delivery/acme/tickets/1', none, failed);
    },
  },
  {
    outcome: 'above_ceiling',
    says: 'it changed after delivery/acme/tickets/1 had begun, and comes with the delivery after that.',
    prepare: async (store) => {
      await marked(store, 0);
      await report(store, 1, 0);
    },
  },
  { outcome: 'waiting', says: 'Not yet: it waits for the next run at 20' },
  {
    outcome: 'confirmed',
    says: 'answered 2xx to it, with delivery/acme/tickets/2, which ended at 20',
    prepare: async (store) => {
      await report(store, 1);
      await closeDeliveryReport(store, 'delivery/acme/tickets/1', { ...END, status: 'failed' }, 30);
      await report(store, 2);
      await closeDeliveryReport(store, 'delivery/acme/tickets/2', END, 30);
      await marked(store, 1);
    },
  },
  {
    outcome: 'confirmed',
    says: 'answered 2xx to it, by a catch-up or a resend, or with a delivery that is no longer known.',
    settings: FARMERS,
    prepare: async (store) => {
      await marked(store, 1);
      await share(store);
      await begun(store);
    },
  },
];

let store: Store;

describe('where one record is', () => {
  beforeEach(async () => {
    store = await emptyStore();
    await pushRecords(store, { tickets: [ticket('T-1')] });
  });

  const forCustomer = async (id: string = ID) =>
    traceForCustomer(store, { type: 'tickets', id }, (await findChannel(store, SLUG))!);

  test.each(REASONS)('$outcome: $says', async ({ outcome, says, settings, prepare, hidden }) => {
    await addTestChannel(store, SLUG, 'https://acme.example', settings);
    await prepare?.(store);
    const trace = await traceForOperator(store, asked);
    const of = { channel: SLUG, outcome, says: expect.stringContaining(says) };
    expect(trace).toMatchObject({ id: ID, position: 1, deleted_at: null, channels: [of] });
    expect(trace!.channels[0]!.says).not.toMatch(/undefined|null|\byou\b/i);
    const theirs = await forCustomer();
    if (hidden) return expect([theirs, await forCustomer('42-none')]).toEqual([undefined, undefined]);
    expect(theirs).toMatchObject({ id: ID, requests: null, position: null, channels: [of] });
    expect(theirs!.channels[0]!.says).not.toMatch(/undefined|null|gdx|Acme/);
  });

  test('a deletion is followed as any change, and so is what was corrected away from all that is shared', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example', FARMERS);
    await share(store);
    await begun(store);
    await pushRecords(store, { tickets: [ticket('T-1', '1002')] });
    await marked(store, 2);
    const gone = await forCustomer();
    expect(gone).toMatchObject({ deleted_at: gone!.pushed_at, channels: [{ outcome: 'confirmed' }] });
    expect(gone!.channels[0]!.says).toContain('you answered 2xx to its deletion');
    await pushRecords(store, { tickets: [ticket('T-1', '1002', { deleted: true })] });
    const trace = await traceForOperator(store, asked);
    expect(trace).toMatchObject({ deleted_at: expect.any(Date), channels: [{ outcome: 'waiting' }] });
  });

  test('what one farmer shares with another customer is not this one’s', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example', FARMERS);
    await share(store);
    await addTestChannel(store, 'bison', 'https://bison.example', FARMERS);
    const trace = await traceForOperator(store, asked);
    expect(trace!.channels.map(({ outcome }) => outcome)).toEqual(['catch_up_not_begun', 'not_shared']);
    const bison = (await findChannel(store, 'bison'))!;
    expect(await traceForCustomer(store, asked, bison)).toBeUndefined();
  });

  test('a page of an attempt that was overtaken is not the one that waits', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example', { delivery: 'pull', base_url: '' });
    await marked(store, 0);
    await layOne(store, 1, 7);
    expect(await traceForOperator(store, asked)).toMatchObject({ channels: [{ outcome: 'waiting' }] });
  });

  test('a delivery in which a record was set aside proves nothing of it', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example');
    await report(store);
    const some = { pages: 1, records: 1, bytes: 1, set_aside: 1, probes: 0 };
    await reportProgress(store, 'delivery/acme/tickets/1', some);
    await closeDeliveryReport(store, 'delivery/acme/tickets/1', END, 30);
    await marked(store, 1);
    expect(await traceForOperator(store, asked)).toMatchObject({
      channels: [{ outcome: 'confirmed', delivery: null }],
    });
  });

  test('a delivery that came days after the change is found as well', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example');
    await marked(store, 1);
    await report(store);
    await closeDeliveryReport(store, 'delivery/acme/tickets/1', END, 30);
    const started_at = new Date(Date.now() + 3 * 86_400_000);
    await inCollection(store, 'deliveries').updateOne({}, { $set: { started_at } });
    expect(await traceForOperator(store, asked)).toMatchObject({
      channels: [{ outcome: 'confirmed', delivery: 'delivery/acme/tickets/1' }],
    });
  });

  test('the requests are those of the company’s own ERPs that changed something then', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example');
    for (const [_id, id] of [
      ['erp', '42'],
      ['other', '7'],
    ] as const)
      await inCollection(store, 'integrations').insertOne({
        _id,
        token_hashes: [_id],
        company: { id },
      } as never);
    const at = (await traceForOperator(store, asked))!.pushed_at.getTime();
    const made = ([_id, later, changed]: readonly [string, number, number]) => ({
      ...{ _id, at: new Date(at + later), changed },
    });
    const kept = [
      ...[
        ['erp/before', -60_000, 1],
        ['erp/its-own', 5, 1],
        ['erp/repeated', 6, 0],
        ['other/x', 7, 1],
      ],
      ['erp/long-after', 60_000, 1],
    ] as const;
    await inCollection(store, 'push_receipts').insertMany(kept.map((one) => made(one as never)));
    expect(await traceForOperator(store, asked)).toMatchObject({ requests: ['its-own'] });
  });

  test('what it reads does not grow with records, grants or reports', async () => {
    await addTestChannel(store, SLUG, 'https://acme.example', FARMERS);
    await share(store);
    await begun(store);
    await marked(store, 1e6);
    async function examined(): Promise<number> {
      let documents = 0;
      const count: Around = async ({ collection, method, args: [filter, options], run }) => {
        const known = store.db.collection(collection);
        if (method === 'find' || method === 'findOne') {
          const { executionStats } = await known.find(filter!, options ?? {}).explain('executionStats');
          const { totalDocsExamined } = executionStats as { totalDocsExamined: number };
          documents += totalDocsExamined;
        }
        return run();
      };
      await traceForOperator(rewire(store, count), asked);
      return documents;
    }
    const few = await examined();
    const many = Array.from({ length: 300 }, (_, index) => `X-${index}`);
    await pushRecords(store, { tickets: many.map((id) => ticket(id, id)) });
    const channel = (await findChannel(store, SLUG))!;
    await grantAccounts(
      store,
      channel,
      many.map((id) => ({ ...GRANT, account: `42-${id}` })),
    );
    await inCollection(store, 'markers').insertMany(
      many.map((id) => ({
        _id: `acme/tickets/42-${id}`,
        ...LANE,
        account: `42-${id}`,
        position: 0,
        until: 9,
      })),
    );
    await inCollection(store, 'set_aside').insertMany(
      many.map((id) => ({ _id: `acme/tickets/42-${id}`, ...LANE, record: `42-${id}`, position: 1 })),
    );
    expect(few).toBeGreaterThan(0);
    // The receipt of the push itself is one of those that may be its own.
    expect(await examined()).toBeLessThanOrEqual(few + 1);
  });
});

describe('through the pages', () => {
  let ops: Ops;
  const path = (id: string, type = 'tickets') => `?${new URLSearchParams({ trace: type, record: id })}`;
  const answered = (html: string) => /<section id="record">.*?<\/section>/s.exec(html)?.[0] ?? '';

  beforeEach(async () => {
    ops = await startOps({ store: await emptyStore() });
    await pushRecords(ops.store, { tickets: [ticket('T-1'), ticket('T-2', '1002')] });
  });

  test('a customer reads where its own is, and of any other the same as of one that is not there', async () => {
    const { apiKey } = await addTestChannel(ops.store, SLUG, 'https://acme.example', FARMERS);
    await share(ops.store);
    const browser = await tryKey(ops, apiKey);
    const see = async (id: string) => answered((await browser.get(`/customer${path(id)}`)).html);
    expect(await see(' 42-T-1 ')).toContain('Not yet: the catch-up of account 42-1001 has not begun.');
    const [foreign, none] = [await see('42-T-2'), await see('42-T-9')];
    expect(foreign).toContain('You get no such record');
    expect(foreign.replaceAll('42-T-2', '42-T-9')).toBe(none);
    expect(await see('')).not.toContain('role="status"');
    expect((await browser.get(`/ops/channels/acme${path('42-T-2')}`)).html).not.toContain('no farmer shares');
  });

  test('a customer of one company may leave its id out, as its tickets have only their own', async () => {
    const { apiKey } = await addTestChannel(ops.store, SLUG, 'https://acme.example', { companies: ['42'] });
    await marked(ops.store, 2);
    const browser = await tryKey(ops, apiKey);
    expect(answered((await browser.get(`/customer${path('T-1')}`)).html)).toContain('<b>42-T-1</b>');
  });

  test('an own id that begins as those of the feed do is found, where the feed has none of that id for the customer', async () => {
    const { apiKey } = await addTestChannel(ops.store, SLUG, 'https://acme.example', {
      ...FARMERS,
      companies: ['42'],
    });
    await pushRecords(ops.store, {
      tickets: [ticket('42-7'), ticket('42-8'), ticket('8'), ticket('7', '1002')],
    });
    await share(ops.store);
    const browser = await tryKey(ops, apiKey);
    const see = async (id: string) => answered((await browser.get(`/customer${path(id)}`)).html);
    expect(await see('42-8')).toContain('<b>42-8</b>');
    expect(await see('42-7')).toContain('<b>42-42-7</b>'); // 42-7 is of an account that is not shared
    const none = await see('42-9');
    expect(none).toContain('You get no such record');
    expect((await see('42-T-2')).replaceAll('42-T-2', '42-9')).toBe(none);
  });

  test('what is read for the one and for the other is the same', async () => {
    const read = async (id: string) => {
      const calls: string[] = [];
      const watch: Around = ({ collection, method, run }) => {
        calls.push(`${collection}.${method}`);
        return run();
      };
      const channel = (await findChannel(ops.store, SLUG))!;
      await traceForCustomer(rewire(ops.store, watch), { type: 'tickets', id }, channel);
      return calls;
    };
    await addTestChannel(ops.store, SLUG, 'https://acme.example', FARMERS);
    await share(ops.store, false);
    const splits = Array.from({ length: 600 }, (_, n) => ({ account_id: `${n}`, split_percent: 0.1 }));
    await pushRecords(ops.store, {
      tickets: [
        { id: 'T-nobody', splits: [{ split_percent: 100 }] },
        { id: 'T-many', splits },
      ],
    });
    const none = await read('42-T-9');
    expect(await read('42-T-nobody')).toEqual(none);
    expect(await read('42-T-many')).toEqual(none);
    expect(await read('42-T-2')).toEqual(none);
    expect(await read('42-T-1')).toEqual(none); // shared, but not for this version
  });

  test('an operator who only looks reads it as well, of any channel; a stranger does not', async () => {
    await addTestChannel(ops.store, SLUG, 'https://acme.example', FARMERS);
    const { token } = await addOperator(ops.store, 'Looks Only', 'read');
    const browser = ops.browser();
    await browser.get('/ops/sign-in');
    await browser.submit('/ops/sign-in', { token });
    const see = async (id: string) => answered((await browser.get(`/ops/channels/acme${path(id)}`)).html);
    expect(await see('42-T-1')).toContain(
      'Never, as it is now: no farmer shares account 42-1001 with Acme Crop Insurance.',
    );
    expect(await see('42-T-9')).toContain('No ERP has pushed this record.');
    expect((await ops.browser().get(`/ops/channels/acme${path('42-T-1')}`)).html).not.toContain('no farmer');
  });
});

const ACCOUNTS = ['1001', '1002'];
const account = fc.constantFrom(...ACCOUNTS);
const act = fc.oneof(
  fc.record({
    act: fc.constant('push' as const),
    id: fc.constantFrom('a', 'b', 'c'),
    of: fc.uniqueArray(account, { minLength: 1 }),
  }),
  fc.record({ act: fc.constantFrom('grant' as const, 'grant new' as const, 'revoke' as const), account }),
  fc.record({
    act: fc.constant('run' as const),
    pages: fc.constantFrom(1, 9),
    answer: fc.constantFrom(200, 200, 503),
  }),
  fc.record({ act: fc.constant('reset' as const) }),
);

scaledTest(
  'in random scenes it says delivered of what the customer holds, and of nothing else',
  async () => {
    const property = fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
      const scene = await openSharedScene(1);
      for (const [load, one] of acts.entries()) {
        if (one.act === 'push') await scene.pushTickets({ [one.id]: one.of }, `${load}`);
        if (one.act === 'grant') await scene.grant(one.account);
        if (one.act === 'grant new') await scene.grantNew(one.account);
        if (one.act === 'revoke') await scene.revoke(one.account);
        if (one.act === 'reset') await scene.reset();
        if (one.act !== 'run') continue;
        scene.customer.script = () => one.answer;
        await scene.run(undefined, one.pages);
        await expectAsHeld(scene);
      }
      await expectAsHeld(scene);
    });
    await fc.assert(property, { ...played(5, 400), ...toldAtOnce });
  },
  3_600_000,
);

/** By what the customer has confirmed, and by the digest, which is made from other reads. */
async function expectAsHeld({ store: own, customer, channel }: Awaited<ReturnType<typeof openSharedScene>>) {
  const held = new Set(
    customer.pages
      .filter(({ status, entityType }) => status === 200 && entityType === 'tickets')
      .flatMap(({ records }) => records.map(({ id, updated_at }) => `${id} ${updated_at}`)),
  );
  const counted = await own.client.withSession({ causalConsistency: true }, async (session) => {
    const found: string[] = [];
    const base = (await readDigestBase(own, SLUG, 'tickets', session))!;
    for await (const batch of digestRecords(own, 'tickets', base, { session }))
      found.push(...batch.flatMap(({ id, pending }) => (pending ? [] : [id])));
    return found;
  });
  const told: string[] = [];
  for (const id of ['a', 'b', 'c'].map((one) => `${COMPANY.id}-${one}`)) {
    const trace = await traceForCustomer(own, { type: 'tickets', id }, await channel());
    if (trace?.channels[0]!.outcome !== 'confirmed') continue;
    told.push(id);
    expect(held).toContain(`${id} ${formatInstant(trace.pushed_at)}`);
  }
  // While such a grant is to begin, the digest leaves all of its account out, and what is held through another account with it.
  const cautious = { state: 'granted', to_begin: 'tickets', from: { $ne: null } } as const;
  const isCautious = (await subscriptions(own).countDocuments(cautious)) > 0;
  expect(told).toEqual(isCautious ? expect.arrayContaining(counted) : counted);
}
