import { Semaphore } from 'async-mutex';
import { MongoNetworkError } from 'mongodb';
import { COMMANDS } from '../../domain/records/commands';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import { findRecord } from '../../store/records/records';
import { findElevators } from '../../store/push/elevators';
import { generateCompany } from '../../tools/sample/generate-elevator-company';
import { ELEVATOR } from '../../api/openapi/examples';
import { notePush } from '../../api/erp/note-pushes';
import { addIntegration } from '../../store/callers/integrations';
import { readPushActivity } from '../../store/push/push-activity';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { eventually } from '../setup/eventually';
import { storedOf } from './stored-of';
import {
  accounts,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type ApiAnswer,
  type Api,
} from './start-api';
import { slowTest } from '../setup/cases';
import { closeAtEnd } from '../setup/close-at-end';

let api: Api;
let token: string;

beforeAll(async () => {
  api = await startApi();
  token = await integrationToken(api.store);
});
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const stop of stops.splice(0)) await stop();
});

const push = (body: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
  api.ask('POST', '/api/v1/push', { token, body, headers });

async function stored(type: EntityType, id: string) {
  const record = await findRecord(api.store, type, `42-${id}`);
  const shown = record && Object.values(JSON.parse(record.wire.toString()) as Record<string, object>)[0];
  return record && { position: record.position, hash: record.hash, shown: shown as Record<string, unknown> };
}

const counters = () => api.store.db.collection('counters').find().sort({ _id: 1 }).toArray();
const count = (collection: string) => api.store.db.collection(collection).countDocuments();

slowTest('204 without a body: all five commands of one request are stored', async () => {
  const company = generateCompany({ seed: 7, accounts: 5, tickets: 40 });
  const commands = ENTITY_TYPES.map((type) => ({
    [`update-${type}`]: { [type]: company[type].slice(0, 5) },
  }));
  const answer = await push({ data: [{ 'update-elevators': { elevators: [ELEVATOR] } }, ...commands] });
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
  for (const type of ENTITY_TYPES) {
    const first = company[type][0] as { id: string };
    expect((await stored(type, first.id))?.shown).toMatchObject({
      id: `42-${first.id}`,
      remote_id: first.id,
    });
  }
  const [elevator] = await findElevators(api.store, '42');
  const { deleted_at: _, ...stands } = ELEVATOR;
  expect(JSON.parse(elevator!.json.toString())).toEqual(stands);
});

test('unknown properties are kept, even those MongoDB would mind', async () => {
  const odd = {
    $where: '1',
    'a.b': { $gt: '' },
    constructor: 'x',
    _bsontype: 'ObjectId',
    nested: [{ deep: null }],
  };
  expect((await push(pushOf([{ id: 'odd', name: 'Meyer', ...odd }]))).status).toBe(204);
  expect((await stored('accounts', 'odd'))?.shown).toMatchObject(odd);
});

slowTest('one bad record anywhere: every path is named and nothing is stored', async () => {
  const before = [await count('accounts'), await count('push_receipts'), await counters()];
  const answer = await push({
    data: [
      { 'update-accounts': { accounts: accounts(3, 9001) } },
      { 'update-tickets': { tickets: [{ id: 'T-1', account_id: '9001' }, { ticket_number: 7 }] } },
      { 'update-elevators': { elevators: [{ id: 'E-1', phone: 'none' }] } },
      { 'update-nothing': {} },
    ],
  });
  expectError(answer, 422, 'VALIDATION_ERROR');
  expect(Object.keys(answer.json.validation_messages)).toEqual(
    expect.arrayContaining([
      'data[1].update-tickets.tickets[1].id',
      'data[2].update-elevators.elevators[0].name',
      'data[2].update-elevators.elevators[0].phone',
      'data[3]',
    ]),
  );
  expect([await count('accounts'), await count('push_receipts'), await counters()]).toEqual(before);
});

test('equal content changes nothing; a change gets a new position', async () => {
  const [account] = accounts(1, 5001);
  await push(pushOf([account]));
  const first = await stored('accounts', '5001');
  expect((await push(pushOf([account]))).status).toBe(204);
  expect(await stored('accounts', '5001')).toEqual(first);
  await push(
    pushOf([
      { ...account, name: 'Meyer & Sons' },
      { ...account, name: 'Meyer & Daughters' },
    ]),
  );
  const changed = await stored('accounts', '5001');
  expect(changed!.position).toBeGreaterThan(first!.position);
  expect(changed!.shown['name']).toBe('Meyer & Daughters');
});

test.each([
  ['phones', [{ phones: [{ phone: '7015550101' }] }, {}], ['7015550101'], ['7015550102']],
  ['the last phones', [{ phones: [{ phone: '7015550103' }] }, {}], ['7015550103'], ['7015550102']],
  ['no phones', [{ phones: null }, {}], [], ['7015550105']],
])(
  'an account twice in a push, %s first: it keeps what it would in two pushes',
  async (name, sent, kept, before) => {
    const id = `5100 ${name}`;
    await push(pushOf([{ id, name: 'Meyer', phones: before.map((phone) => ({ phone })) }]));
    const records = sent.map((more) => ({ id, name: 'Meyer Farms', ...more }));
    const data = records.map((record) => ({ 'update-accounts': { accounts: [record] } }));
    expect((await push({ data }, { 'x-request-id': `twice ${name}` })).status).toBe(204);
    expect(await findRecord(api.store, 'accounts', `42-${id}`)).toMatchObject({ phones: kept });
    expect((await stored('accounts', id))?.shown).toMatchObject({ phones: kept.map((phone) => ({ phone })) });
  },
);

test('a dry run and the receipt count a record once, and tell of the one that it replaces', async () => {
  const body = pushOf([...accounts(2, 5201), ...accounts(1, 5201)]);
  const told = {
    warning_count: 1,
    warnings: {
      'data[0].update-accounts.accounts[0].id': [
        'comes again as data[0].update-accounts.accounts[2]: that one is stored',
      ],
    },
  };
  const dry = await api.ask('POST', '/api/v1/push?dry_run=true', { token, body });
  expect(dry.json).toEqual({ records: 2, ...told });
  await push(body, { 'x-request-id': 'replaced' });
  const receipt = await api.ask('GET', '/api/v1/pushes/replaced', { token });
  expect(receipt.json).toMatchObject({ changed: 2, unchanged: 0, ...told });
});

describe('the same X-Request-ID', () => {
  test('with the same body writes nothing; with another one 422', async () => {
    const headers = { 'x-request-id': 'erp-1' };
    await push(pushOf(accounts(2, 6001)), headers);
    await push(pushOf([{ id: '6001', name: 'Changed meanwhile' }]));
    const between = [await counters(), await stored('accounts', '6001')];
    expect((await push(pushOf(accounts(2, 6001)), headers)).status).toBe(204);
    const other = await push(pushOf(accounts(3, 6001)), headers);
    expectError(other, 422, 'REQUEST_ID_REUSED');
    expect(other.headers['x-request-id']).toBe('erp-1');
    expect([await counters(), await stored('accounts', '6001')]).toEqual(between);
  });

  test('from another integration is another request', async () => {
    const headers = { 'x-request-id': 'erp-2' };
    const other = await integrationToken(api.store, { id: '43', name: 'Valley Grain' });
    await push(pushOf(accounts(1, 6101)), headers);
    const answer = await api.ask('POST', '/api/v1/push', {
      token: other,
      body: pushOf(accounts(2, 6101)),
      headers,
    });
    expect(answer.status).toBe(204);
    expect(await findRecord(api.store, 'accounts', '43-6102')).not.toBeNull();
  });

  slowTest('ten times at once: stored once, all answer 204', async () => {
    const before = (await counters()).find(({ _id }) => String(_id) === 'accounts')!['position'] as number;
    const body = pushOf(accounts(20, 6201));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => push(body, { 'x-request-id': 'erp-3' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
    const positions = (
      await api.store.db
        .collection('accounts')
        .find({ position: { $gt: before } })
        .toArray()
    ).length;
    expect(positions).toBe(20);
    expect((await counters()).find(({ _id }) => String(_id) === 'accounts')!['position']).toBe(before + 20);
  });

  test('twice at once with different bodies: one is stored whole, the other refused', async () => {
    const bodies = [pushOf(accounts(5, 6301)), pushOf(accounts(5, 6401))];
    const answers = await Promise.all(bodies.map((body) => push(body, { 'x-request-id': 'erp-4' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 422]);
    expectError(
      answers.find(({ status }) => status === 422)!,
      422,
      'REQUEST_ID_REUSED',
    );
    const first = answers[0]!.status === 204 ? '6301' : '6401';
    const left = await Promise.all(['6301', '6401'].map(async (id) => (await stored('accounts', id)) && id));
    expect(left.filter(Boolean)).toEqual([first]);
  });
});

test('many at once, among them invalid, repeated and reused ones: each is answered for itself', async () => {
  const name = (index: number) => ({ 'x-request-id': `group-${index}` });
  const good = Array.from({ length: 40 }, (_, index) => pushOf(accounts(2, 7001 + 2 * index)));
  await push(good[0], name(0));
  const invalid = pushOf([...accounts(1, 7991), { id: '7992' }]);
  const asked = good.flatMap((body, index) => [
    { body, headers: name(index), status: 204 }, // the first one is a repetition
    ...(index % 10 === 0 ? [{ body: invalid, headers: name(100 + index), status: 422 }] : []),
    ...(index % 10 === 5 ? [{ body, headers: name(index), status: 204 }] : []),
    ...(index % 10 === 7 ? [{ body: good[1], headers: name(0), status: 422 }] : []),
  ]);
  const answers = await Promise.all(asked.map(({ body, headers }) => push(body, headers)));
  expect(answers.map(({ status }) => status)).toEqual(asked.map(({ status }) => status));
  for (const [index, body] of good.entries()) {
    expect(await stored('accounts', String(7001 + 2 * index))).not.toBeNull();
    expect(await stored('accounts', String(7002 + 2 * index))).not.toBeNull();
    expect((await push(body, name(index))).status).toBe(204);
    const report = await api.ask('GET', `/api/v1/pushes/group-${index}`, { token });
    expect(report.json).toMatchObject({ changed: 2, unchanged: 0 });
    expectError(await push(pushOf(accounts(1, 7993)), name(index)), 422, 'REQUEST_ID_REUSED');
  }
  expect(await stored('accounts', '7991')).toBeNull();
  const ids = await api.store.db.collection('push_receipts').distinct('_id');
  const ofGroup = ids.filter((id) => /\/group-\d+$/.test(String(id)));
  expect(ofGroup).toHaveLength(good.length);
});

test('at most 100 messages, that of a wrong dry_run among them', async () => {
  const wrong = Array.from({ length: 150 }, (_, index) => ({ id: `W${index}` }));
  const answer = await api.ask('POST', '/api/v1/push?dry_run=x', { token, body: pushOf(wrong) });
  expectError(answer, 422, 'VALIDATION_ERROR');
  const messages = answer.json.validation_messages as Record<string, string[]>;
  expect([Object.values(messages).flat().length, messages['dry_run']?.length]).toEqual([100, 1]);
});

/** An API whose changes of accounts stop at their counter. */
async function startHeldApi() {
  const halt = stopHere();
  const held = rewire(api.store, async ({ method, run, args }) => {
    if (method === 'findOneAndUpdate' && args[0]?.['_id'] === 'accounts') await halt.here();
    return run();
  });
  const slow = await startApi({ store: held });
  closeAtEnd(halt.goOn);
  return { halt, ask: (body: unknown, as = token) => slow.ask('POST', '/api/v1/push', { token: as, body }) };
}

/** Accounts of that many MiB in all. */
const accountsOf = (mib: number, count: number, first: number) =>
  pushOf(accounts(count, first).map((one) => ({ ...one, note: 'n'.repeat((mib * 2 ** 20) / count - 200) })));
const TICKET = { data: [{ 'update-tickets': { tickets: [{ id: 'small', account_id: '1' }] } }] };

slowTest('a push whose time is over while it waits to be parsed is not stored any more', async () => {
  const { halt, ask } = await startHeldApi();
  const large = ask(accountsOf(16, 320, 60_000)); // takes every slot
  await halt.reached;
  const slots = jest.spyOn(Semaphore.prototype, 'acquire');
  const ticket = { id: 'old', account_id: '1', note: 'n'.repeat(2 ** 21) };
  const waiting = ask({ data: [{ 'update-tickets': { tickets: [ticket] } }] });
  await eventually(() => expect(slots).toHaveBeenCalled());
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 25_001);
  halt.goOn();
  expectError(await waiting, 503, 'UNAVAILABLE');
  jest.restoreAllMocks();
  await large;
  expect(await stored('tickets', 'old')).toBeNull();
});

slowTest.each([
  ['two of 15 MiB', 2, 15],
  ['thirty of 1 MiB', 30, 0.99],
])('%s of an ERP wait: what another ERP pushes is stored meanwhile', async (_, count, mib) => {
  const { halt, ask } = await startHeldApi();
  const slots = jest.spyOn(Semaphore.prototype, 'acquire');
  const held = Array.from({ length: count }, (_body, of) => ask(accountsOf(mib, 300, 70_000 + of * 300)));
  await halt.reached;
  await eventually(() => expect(slots.mock.calls.length).toBeGreaterThan(count)); // and the lock of accounts
  const other = await integrationToken(api.store, { id: '45', name: 'Valley Grain' });
  expect((await ask(TICKET, other)).status).toBe(204);
  halt.goOn();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(count).fill(204));
});

test('5,000 records in one request are taken, the 5,001st is one too many', async () => {
  const tooMany = await push(pushOf(accounts(5001, 100_000)));
  expectError(tooMany, 422, 'VALIDATION_ERROR');
  expect(Object.keys(tooMany.json.validation_messages)).toEqual(['data']);
  const before = await count('accounts');
  const again = Array.from({ length: 50 }, () => accounts(100, 100_000)).flat(); // many at once: store/push-groups
  expect((await push(pushOf(again))).status).toBe(204);
  expect(await count('accounts')).toBe(before + 100);
});

test('nothing to store is fine', async () => {
  for (const body of [pushOf([]), { data: [{ 'update-elevators': { elevators: [], more: 1 } }], more: 1 }]) {
    expect((await push(body)).status).toBe(204);
  }
});

test('sums that do not add up are told in the log, and stored', async () => {
  const ticket = { id: 'W-1', account_id: '1001', gross_weight: 80_000, tare_weight: 26_000, net_weight: 1 };
  expect((await push({ data: [{ 'update-tickets': { tickets: [ticket] } }] })).status).toBe(204);
  expect(api.lines.at(-1)).toMatchObject({
    warnings: 1,
    first_warnings: [expect.stringMatching(/^tickets W-1: net_weight/)],
  });
});

describe('the receipt of a push', () => {
  const receipt = (id: string, as = token) =>
    api.ask('GET', `/api/v1/pushes/${encodeURIComponent(id)}`, { token: as });
  const tickets = (...list: object[]) => ({ data: [{ 'update-tickets': { tickets: list } }] });
  const odd = { account_id: '1001', status: 'spilled', gross_weight: 9, tare_weight: 1, net_weight: 7 };

  test('says what was changed, and every warning by its path, to the integration that pushed', async () => {
    const id = 'erp/7?%20#1';
    const before = Date.now();
    const body = tickets({ id: 'R-1', account_id: '1001' }, { id: 'R-2', ...odd });
    body.data.push({ 'update-elevators': { elevators: [ELEVATOR] } } as never);
    expect((await push(body, { 'x-request-id': id })).status).toBe(204);
    const { status, json } = await receipt(id);
    expect([status, json]).toEqual([
      200,
      {
        request_id: id,
        received_at: expect.any(String),
        changed: 2,
        unchanged: 0,
        elevators: 1,
        warning_count: 2,
        warnings: {
          'data[0].update-tickets.tickets[1].status': ['is none of in_yard, complete, void'],
          'data[0].update-tickets.tickets[1].net_weight': ['is not gross_weight - tare_weight (off by -1)'],
        },
      },
    ]);
    expect(Date.parse(json.received_at)).toBeGreaterThanOrEqual(before);
    const stranger = await integrationToken(api.store, { id: '44', name: 'Valley Grain' });
    expectError(await receipt(id, stranger), 404, 'NOT_FOUND');
    const unknown = await receipt('erp/8');
    expectError(unknown, 404, 'NOT_FOUND');
    expect(unknown.json.message).toBe('No push of yours with this id was stored in the last 72 hours.');
    // The repeat answers for the first, and the same content under another id changes nothing.
    await push(body, { 'x-request-id': id });
    expect((await receipt(id)).json.changed).toBe(2);
    await push(body, { 'x-request-id': 'again' });
    expect((await receipt('again')).json).toMatchObject({ changed: 0, unchanged: 2, warning_count: 2 });
  });

  test('a misspelt field is asked about, as by a dry run, and the push is stored', async () => {
    const body = tickets({ id: 'N-1', account_id: '1001', net_wieght: 52340 });
    const warnings = {
      'data[0].update-tickets.tickets[0].net_wieght': ['is not a field: is it net_weight?'],
    };
    const dry = await api.ask('POST', '/api/v1/push?dry_run=true', { token, body });
    expect([dry.status, dry.json]).toEqual([200, { records: 1, warning_count: 1, warnings }]);
    expect((await push(body, { 'x-request-id': 'misspelt' })).status).toBe(204);
    expect((await receipt('misspelt')).json).toMatchObject({ changed: 1, warning_count: 1, warnings });
  });

  test('of very many warnings it has a hundred, and how many there are', async () => {
    const list = Array.from({ length: 150 }, (_, index) => ({ id: `M-${index}`, ...odd }));
    await push(tickets(...list), { 'x-request-id': 'many' });
    const { json } = await receipt('many');
    expect([json.warning_count, Object.keys(json.warnings).length]).toEqual([300, 100]);
  });

  test('a dry run checks the same, and leaves no trace', async () => {
    const before = await storedOf(api.store);
    const dry = (body: unknown, value = 'true') =>
      api.ask('POST', `/api/v1/push?dry_run=${value}`, { token, body, headers: { 'x-request-id': 'dry' } });
    const good = await dry({
      data: [
        ...tickets({ id: 'D-1', ...odd }).data,
        ...pushOf(accounts(2, 7001)).data,
        { 'update-elevators': { elevators: [ELEVATOR] } },
      ],
    });
    expect([good.status, good.json]).toMatchObject([200, { records: 4, warning_count: 2 }]);
    expect(Object.keys(good.json.warnings)).toContain('data[0].update-tickets.tickets[0].net_weight');
    const bad = await dry(tickets({ id: 'D-2' }), 'perhaps');
    expectError(bad, 422, 'VALIDATION_ERROR');
    expect(Object.keys(bad.json.validation_messages)).toEqual([
      'dry_run',
      'data[0].update-tickets.tickets[0].account_id',
    ]);
    expectError(await receipt('dry'), 404, 'NOT_FOUND');
    expect(await storedOf(api.store)).toEqual(before);
  });
});

describe('a dry run under a request id that is known', () => {
  const dry = (body: unknown, headers: Record<string, string>, as = token) =>
    api.ask('POST', '/api/v1/push?dry_run=true', { token: as, body, headers });

  slowTest('is answered as the push would be: 200 with its body, 422 with another one', async () => {
    const headers = { 'x-request-id': 'known' };
    const body = pushOf([{ id: 'F', name: 'f' }]);
    expect((await push(body, headers)).status).toBe(204);
    const stranger = await integrationToken(api.store, { id: '48', name: 'Glen Grain' });
    const before = await storedOf(api.store);
    const other = pushOf([{ id: 'F', name: 'other' }]);
    expectError(await dry(other, headers), 422, 'REQUEST_ID_REUSED');
    expectError(await push(other, headers), 422, 'REQUEST_ID_REUSED');
    expect([(await dry(body, headers)).status, (await dry(other, {})).status]).toEqual([200, 200]);
    expect((await dry(other, headers, stranger)).status).toBe(200);
    expect(await storedOf(api.store)).toEqual(before);
  });

  test('and what is wrong with its records comes first, as in the push', async () => {
    const headers = { 'x-request-id': 'known-too' };
    await push(pushOf([{ id: 'G', name: 'g' }]), headers);
    const wrong = pushOf([{ id: 'G' }]);
    const answers = [await dry(wrong, headers), await push(wrong, headers)];
    for (const answer of answers) expectError(answer, 422, 'VALIDATION_ERROR');
  });
});

test('a dry run without the database is answered 503, as a push is', async () => {
  const away = rewire(api.store, ({ collection, run }) => {
    if (collection === 'push_receipts') throw new MongoNetworkError('away');
    return run();
  });
  const apart = await startApi({ store: away });
  stops.push(() => apart.stop());
  for (const query of ['', '?dry_run=true']) {
    const answer = await apart.ask('POST', `/api/v1/push${query}`, {
      token,
      body: pushOf(accounts(1, 8001)),
    });
    expectError(answer, 503, 'UNAVAILABLE');
  }
});

test('when an integration pushed, and how much, is kept', async () => {
  const other = await integrationToken(api.store, { id: '45', name: 'Valley Grain' });
  await api.ask('POST', '/api/v1/push', { token: other, body: pushOf(accounts(3, 1)) });
  await eventually(async () => {
    const all = [...(await readPushActivity(api.store)).values()];
    expect(all).toContainEqual(
      expect.objectContaining({ erp: 'agris of Valley Grain', records: 3, warnings: 0, silent_at: null }),
    );
  });
});

test('what an integration pushed is counted once, however long it then pushes nothing, and however often it repeats it', async () => {
  const token = await integrationToken(api.store, { id: '46', name: 'Hill Grain' });
  const pushMore = async (count: number, from: number) => {
    const headers = { 'x-request-id': `from-${from}` };
    const answer = await api.ask('POST', '/api/v1/push', {
      token,
      body: pushOf(accounts(count, from)),
      headers,
    });
    return answer.status;
  };
  const countedBut = (before?: number) =>
    eventually(async () => {
      const all = [...(await readPushActivity(api.store)).values()];
      const counted = all.find(({ erp }) => erp === 'agris of Hill Grain')?.records;
      expect(counted).not.toBe(before);
      return counted;
    });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  await pushMore(3, 1);
  const lookAgain = await eventually(() => {
    const timer = timers.mock.calls.findLast(([, ms]) => ms === 30_000);
    expect(timer).toBeDefined();
    return timer![0] as () => void;
  });
  timers.mockRestore();
  expect(await countedBut(undefined)).toBe(3);
  lookAgain();
  expect([await pushMore(3, 1), await pushMore(4, 1), await pushMore(2, 11)]).toEqual([204, 422, 204]);
  expect(await countedBut(3)).toBe(5);
});

test('what an integration pushes within half a minute is added up, also after it could not be kept', async () => {
  const { integration } = await addIntegration(api.store, {
    name: 'agris',
    company: { id: '47', name: 'Dale Grain' },
  });
  let isAway = true;
  const store = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'push_activity' && isAway) throw new Error('away');
    return run();
  });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const lookAgain = () =>
    eventually(() => {
      const timer = timers.mock.calls.find(([, ms]) => ms === 30_000);
      expect(timer).toBeDefined();
      timers.mockClear();
      (timer![0] as () => void)();
    });
  notePush(store, integration, { records: 100, warnings: 0 }); // nobody can keep this
  notePush(store, integration, { records: 2, warnings: 1 });
  notePush(store, integration, { records: 3, warnings: 4 });
  isAway = false;
  await lookAgain();
  timers.mockRestore();
  await eventually(async () =>
    expect((await readPushActivity(api.store)).get(integration._id)).toMatchObject({
      erp: 'agris of Dale Grain',
      records: 5,
      warnings: 5,
    }),
  );
});

test('a value that nobody told us of is stored and fed on as it came, and told in the log', async () => {
  const ticket = { id: 'V-1', account_id: '1001', status: 'spilled', splits: [{ disposition: 'Sold!' }] };
  expect((await push({ data: [{ 'update-tickets': { tickets: [ticket] } }] })).status).toBe(204);
  const { status, splits } = ticket;
  expect((await stored('tickets', 'V-1'))?.shown).toMatchObject({ status, splits });
  expect(api.lines.at(-1)).toMatchObject({
    warnings: 2,
    first_warnings: [
      'tickets V-1: status is none of in_yard, complete, void',
      expect.stringMatching(/^tickets V-1: splits\[0\]\.disposition is none of priced, /),
    ],
  });
  expect(JSON.stringify(api.lines.at(-1))).not.toMatch(/spilled|Sold/); // content is not logged
});

test('a number with a fraction or an exponent is a measurement, whatever its size', async () => {
  const ticket =
    '{"id":"N-1","account_id":"1001","gross_weight":-9.6e129,"tare_weight":1e20,"x":9007199254740994.5}';
  expect((await push(`{"data":[{"update-tickets":{"tickets":[${ticket}]}}]}`)).status).toBe(204);
  expect((await stored('tickets', 'N-1'))?.shown).toMatchObject({
    gross_weight: -9.6e129,
    tare_weight: 1e20,
  });
});

test('an elevator and an account with every other field null or "" are stored, and changed by nothing after that', async () => {
  const good: Record<string, object> = {
    elevators: { id: '16', name: 'Casselton' },
    accounts: { id: '16', name: 'Meyer Farms', phones: [] },
    tickets: { id: '16', account_id: '16' },
  };
  const commands = COMMANDS.filter(({ recordType }) => recordType in good);
  const bodyWith = (empty: unknown) => ({
    data: commands.map(({ name, recordType, schema }) => {
      const fields = Object.keys(schema.properties).map((key) => [key, empty]);
      return { [name]: { [recordType]: [{ ...Object.fromEntries(fields), ...good[recordType] }] } };
    }),
  });
  for (const [place, empty] of [undefined, null, ''].entries()) {
    expect((await push(bodyWith(empty), { 'X-Request-ID': `empty-${place}` })).status).toBe(204);
    const { json } = await api.ask('GET', `/api/v1/pushes/empty-${place}`, { token });
    const changed = place === 0 ? 2 : 0;
    expect(json).toMatchObject({ changed, unchanged: 2 - changed, warning_count: 0 });
  }
});
