import { LOAD_COLUMNS } from '../../domain/records/production-record';
import { findChannel } from '../../store/channels/channels';
import { MOST_GRAIN, readAccountsGrain } from '../../store/digest/accounts-grain';
import { records } from '../../store/records/records';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { slowTest } from '../setup/cases';
import { pushRecords } from '../setup/push-records';
import { putRecords } from '../setup/put-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { type Api, channelKey, expectError, startApi } from './start-api';

let api: Api;
let used = 0;
beforeAll(async () => {
  api = await startApi();
});
beforeEach(() => (used += 1));

const channel = async (settings: Parameters<typeof channelKey>[2] = {}) => {
  const slug = `production${(used += 1)}`;
  const token = await channelKey(api.store, slug, { companies: ['42'], ...settings });
  const ask = (query: string, of = api) =>
    of.ask('GET', `/api/v1/channels/${slug}/production?${query}`, { token });
  const grant = async (account: string, earlier = true) => {
    const key = { farmer: 'f1', channel: slug, partner_id: 'P', account };
    await grantAccounts(api.store, (await findChannel(api.store, slug))!, [key], '42', earlier);
    await api.store.db.collection('subscriptions').updateMany({ channel: slug }, { $set: { to_begin: [] } });
    return key;
  };
  return { slug, token, ask, grant };
};
const of = (account: string, year = '2026') => `account=${account}&crop_year=${year}`;
const ticket = (id: string, more: object) => ({
  id,
  crop_year: 2026,
  commodity: '=corn',
  field_name: 'North',
  ...more,
});
const settlement = (id: string, account_id: string, ticket_id: string, net_units: string) => ({
  ...{ id, account_id, crop_year: 2026, status: 'posted', uom: 'bu', lines: [{ ticket_id, net_units }] },
});

/** Two owners of one load, one of them of a second, and a stranger of another company. */
const plant = async (id: string) => {
  const splits = [
    { account_id: `${id}A`, split_percent: 50, net_units: '459.47' },
    { account_id: `${id}B`, split_percent: 50, net_units: '459.47' },
  ];
  await pushRecords(api.store, {
    tickets: [
      ticket(`${id}1`, { splits, units_uom: 'bu', net_weight: '52340.5', weight_uom: 'lb' }),
      ticket(`${id}2`, { account_id: `${id}A`, field_name: null }),
    ],
  });
  await pushRecords(api.store, {
    settlements: [
      settlement(`${id}S`, `${id}A`, `${id}1`, '459.46'),
      settlement(`${id}R`, `${id}B`, `${id}1`, '459.47'),
    ],
  });
  await pushRecords(
    api.store,
    { tickets: [ticket('1', { account_id: `${id}A` })] },
    { id: '421', name: 'Valley Grain' },
  );
  return { a: `42-${id}A`, b: `42-${id}B` };
};

test('the record is of the account alone, whatever else the channel gets', async () => {
  const { a, b } = await plant('all');
  const { ask } = await channel();
  const { status, json, text } = await ask(of(a));
  expect([status, json.loads, json.not_assigned]).toEqual([200, 2, 1]);
  expect(Math.abs(Date.parse(json.made_at) - Date.now())).toBeLessThan(60_000);
  expect(json.crops).toEqual([
    expect.objectContaining({ units_uom: 'bu', loads: 1, net_units: '459.47', settled_units: '459.46' }),
    expect.objectContaining({ units_uom: null, loads: 1, net_units: null }),
  ]);
  expect(json.missing[0]).toEqual({ what: 'field', count: 1, where: ['42-all2'] });
  expect(json.fields.map((field: { loads: { id: string }[] }) => field.loads.map(({ id }) => id))).toEqual([
    ['42-all2'],
    ['42-all1'],
  ]);
  expect(text).not.toContain(b);
  expect((await ask(of(a, '2025'))).json).toMatchObject({ loads: 0, fields: [] });
  expect((await ask(of(a, 'none'))).json).toMatchObject({ loads: 0, crop_year: null });
});

test('an account that is not the channel’s is answered as one that is not there', async () => {
  const { a, b } = await plant('not');
  const subscribed = await channel({ scope: 'subscribed' });
  const key = await subscribed.grant(b);
  const answers = [
    await subscribed.ask(of('42-nobody')),
    await subscribed.ask(of(a)),
    await (await channel({ companies: ['421'] })).ask(of(a)),
    await (await channel({ entity_types: ['accounts', 'contracts'] })).ask(of(a)),
  ];
  for (const answer of answers) expectError(answer, 404, 'NOT_FOUND');
  expect(new Set(answers.map(({ json }) => json.message)).size).toBe(1);
  expect(answers[0]!.json.message).toMatch(/just shared is here once its catch-up has begun: in seconds/);
  const { json, text } = await subscribed.ask(of(b));
  expect([json.loads, json.crops[0].settled_units, text.includes(a)]).toEqual([1, '459.47', false]);
  await revokeAccounts(api.store, [key]);
  expectError(await subscribed.ask(of(b)), 404, 'NOT_FOUND');
});

test('of an account that is not the channel’s no record is read: it would take longer than of one that is not there', async () => {
  const { a } = await plant('unread');
  const asked: unknown[] = [];
  const seen = rewire(api.store, ({ collection, method, args, run }) => {
    if (method === 'find' && ['tickets', 'settlements'].includes(collection)) asked.push(args[0]);
    return run();
  });
  for (const settings of [{ scope: 'subscribed' as const }, { companies: ['421'] }]) {
    const { slug } = await channel(settings);
    const { signal } = new AbortController();
    const one = (await findChannel(api.store, slug))!;
    expect(await readAccountsGrain(seen, one, a, signal)).toBeUndefined();
  }
  expect(asked).toHaveLength(4);
  expect(JSON.stringify(asked)).not.toContain(a);
});

test('it has what the channel may see now: its types, and only what is new where only that is shared', async () => {
  const { a } = await plant('new');
  const tickets = await (await channel({ entity_types: ['tickets'] })).ask(of(a));
  expect(tickets.json.missing).toContainEqual({ what: 'no_settlements', count: 0, where: [] });
  expect(tickets.text).not.toMatch(/"settled"|"open"|459\.46/);
  const { ask, grant } = await channel({ scope: 'subscribed' });
  await grant(a, false);
  expectError(await ask(of(a)), 404, 'NOT_FOUND');
  await pushRecords(api.store, {
    tickets: [
      ticket('new3', { account_id: 'newA' }),
      { ...ticket('new4', { account_id: 'newA' }), deleted: true },
    ],
  });
  const { json } = await ask(of(a));
  expect([json.loads, json.fields[0].loads[0].id]).toEqual([1, '42-new3']);
  expect(json.missing).toContainEqual({ what: 'earlier', count: 0, where: [] });
});

test('as CSV each load is a row, and no text is a formula', async () => {
  const { a } = await plant('csv');
  const { ask } = await channel();
  const { headers, text } = await ask(`${of(a)}&format=csv`);
  expect([headers['content-type'], headers['content-disposition']]).toEqual([
    'text/csv; charset=utf-8',
    'attachment; filename="production-2026.csv"',
  ]);
  const [names, ...rows] = text.trimEnd().split('\r\n');
  expect(names).toBe(`account,crop_year,id,${LOAD_COLUMNS.join()},settlements,missing`);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/^42-csvA,2026,42-csv2,.*,'=corn,.*,100,,,,open,,,field; weighed_at; /);
  expect(rows[1]).toMatch(/^42-csvA,2026,42-csv1,.*,52340.5,lb,,50,26170.25,459.47,bu,settled,459.46,csvS,/);
});

test('the sums of each field are a CSV of their own, with what the account has of the weight beside that of whole loads', async () => {
  const { a } = await plant('sums');
  const { ask } = await channel();
  const { headers, text } = await ask(`${of(a)}&format=sums`);
  expect(headers['content-disposition']).toBe('attachment; filename="production-2026-sums.csv"');
  const [names, ...rows] = text.trimEnd().split('\r\n');
  expect(names).toMatch(/^\ufeff?account,crop_year,assigned,state,/);
  expect(names).toMatch(/,loads,settled_loads,net_weight,share_weight,net_units,settled_units$/);
  expect(rows).toEqual([
    "42-sumsA,2026,false,,,,,,,,,'=corn,,,1,0,,,,",
    "42-sumsA,2026,true,,,,,,,,North,'=corn,lb,bu,1,1,52340.5,26170.25,459.47,459.46",
  ]);
});

test('what is asked is checked', async () => {
  const { ask } = await channel();
  for (const [query, names] of [
    ['', 'account crop_year'],
    ['account=&crop_year=26', 'account crop_year'],
    [`${of('42-1')}&account=42-2`, 'account'],
    [`${of('42-1')}&format=pdf`, 'format'],
    [`${of('42-1')}&limit=1`, 'limit'],
  ]) {
    const answer = await ask(query!);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect([query, Object.keys(answer.json.validation_messages).sort().join(' ')]).toEqual([query, names]);
  }
});

test('one at a time for a channel, digests included', async () => {
  const { a } = await plant('one');
  const { slug, token, ask } = await channel();
  const halt = stopHere();
  const store = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'settlements') await halt.here();
    return run();
  });
  const slow = await startApi({ store });
  const first = ask(of(a), slow);
  await halt.reached;
  const digest = `/api/v1/channels/${slug}/digest?entity_type=tickets`;
  expectError(await ask(of(a), slow), 429, 'RATE_LIMITED');
  expectError(await slow.ask('GET', digest, { token }), 429, 'RATE_LIMITED');
  halt.goOn();
  expect((await first).status).toBe(200);
  expect((await slow.ask('GET', digest, { token })).status).toBe(200);
});

slowTest(
  'an account of more than may be held is refused, and as many as may be are answered in time',
  async () => {
    await plant('many');
    const one = await records(api.store, 'tickets').findOne({ _id: '42-many2' });
    const put = (count: number) =>
      putRecords(
        api.store,
        Array.from({ length: count }, (_, at) => ({
          ...{ position: 1e7 + at, _id: `42-many${at + 3}`, account_ids: ['42-manyA'] },
          wire: Buffer.from(one!.wire.toString().replace('42-many2', `42-many${at + 3}`)),
        })),
      );
    await put(MOST_GRAIN - 2);
    const { ask } = await channel();
    const began = performance.now();
    const { status, json } = await ask(of('42-manyA'));
    console.log(`${MOST_GRAIN} tickets in ${Math.round(performance.now() - began)} ms`);
    expect([status, json.loads]).toEqual([200, MOST_GRAIN]);
    await pushRecords(api.store, { tickets: [ticket('manyX', { account_id: 'manyA' })] });
    const more = await ask(of('42-manyA'));
    expectError(more, 422, 'VALIDATION_ERROR');
    expect(more.json.validation_messages).toEqual({
      account: ['has more than 10000 tickets or settlements'],
    });
  },
);
