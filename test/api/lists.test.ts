import { startMarker, moveMarker, markerId } from '../../store/markers/markers';
import { setPassedFields } from '../../store/sharing/passed-fields';
import { type Held, pushedAfter } from '../../store/push/list-pushed';
import { findRecord } from '../../store/records/records';
import {
  accounts,
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type Api,
  type ApiAnswer,
} from './start-api';
import { ELEVATOR } from '../../api/openapi/examples';
import { slowTest } from '../setup/cases';

let api: Api;

describe('lists', () => {
  let key: string;

  beforeAll(async () => {
    api = await startApi();
    key = await channelKey(api.store, 'acme');
    const token = await integrationToken(api.store);
    await api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(5)) });
  });

  const get = (path: string, slug = 'acme', token = key) =>
    api.ask('GET', `/api/v1/channels/${slug}/${path}`, { token });

  describe('GET markers', () => {
    test('after a page and a reset', async () => {
      const moving = await channelKey(api.store, 'moving', { entity_types: ['tickets', 'accounts'] });
      await startMarker(api.store, 'moving', 'accounts', 0);
      const id = markerId('moving', 'accounts');
      const progress = { delivery: 'd', pages: 1, records: 3, bytes: 1 };
      const timestamp = new Date('2026-11-21T08:00:00.123Z');
      await moveMarker(api.store, { id, epoch: 0 }, { position: 3, timestamp, progress });
      const moved = (await get('markers', 'moving', moving)).json.data;
      expect(moved.map((marker: { entity_type: string }) => marker.entity_type)).toEqual([
        'accounts',
        'tickets',
      ]);
      expect(moved[0]).toMatchObject({
        timestamp: '2026-11-21T08:00:00.123Z',
        pending_records: 2,
        last_reset: null,
      });
      expect(moved[0].delivered_at).toMatch(/^\d{4}-.*T.*\.\d{3}Z$/);

      const reset = { token: moving, body: { timestamp: '2026-01-01T00:00:00Z' } };
      await api.ask('POST', '/api/v1/channels/moving/markers/accounts/reset', reset);
      expect((await get('markers', 'moving', moving)).json.data[0]).toMatchObject({
        timestamp: null,
        pending_records: 5,
        delivered_at: moved[0].delivered_at,
        last_reset: { timestamp: '2026-01-01T00:00:00.000Z', at: expect.stringMatching(/Z$/) },
      });
    });

    test('nothing is pending for scope subscribed, as long as nobody has subscribed', async () => {
      const lender = await channelKey(api.store, 'lender', { scope: 'subscribed' });
      const { data } = (await get('markers', 'lender', lender)).json;
      expect(data.map((marker: { pending_records: number }) => marker.pending_records)).toEqual([0, 0, 0, 0]);
    });
  });
});

describe('records of an ERP', () => {
  const tokens: Record<string, string> = {};
  const push = (company: string, type: string, ...list: object[]) =>
    api.ask('POST', '/api/v1/push', {
      token: tokens[company]!,
      body: { data: [{ [`update-${type}`]: { [type]: list } }] },
    });
  const get = (path: string, company = '42') =>
    api.ask('GET', `/api/v1/records/${path}`, { token: tokens[company]! });
  const idsOf = ({ json }: ApiAnswer) => json.records.map(({ id }: Held) => id);
  const ticket = (id: string, more: object = {}) => ({ id, account_id: '1', ...more });

  beforeAll(async () => {
    api = await startApi();
    for (const id of ['42', '421', '4', '42.'])
      tokens[id] = await integrationToken(api.store, { id, name: id });
    const ids = ['7', '-', 'ü-1', '9', 'T 1/ä?&', '10'];
    await push('42', 'tickets', ...ids.map((id) => ticket(id)), ticket('gone', { deleted: true }));
    await push('421', 'tickets', ticket('1'));
    await push('4', 'tickets', ticket('2-1'));
    await push('42.', 'tickets', ticket('1'));
    await push('42', 'elevators', { id: 'E1', name: 'N', deleted: true }, { id: 'E2', name: 'N' });
    await push('421', 'elevators', { id: 'E3', name: 'N' });
  });

  test('their own ids in the order of bytes, when each was changed, and when deleted', async () => {
    const answer = await get('tickets');
    expect(answer.status).toBe(200);
    expect(idsOf(answer)).toEqual(['-', '10', '7', '9', 'T 1/ä?&', 'gone', 'ü-1']);
    const { updated_at } = (await findRecord(api.store, 'tickets', '42-7'))!;
    expect(answer.json.records).toContainEqual({ id: '7', updated_at: updated_at.toISOString() });
    const gone = answer.json.records.find(({ id }: Held) => id === 'gone');
    expect(gone).toEqual({ id: 'gone', updated_at: gone.updated_at, deleted_at: gone.updated_at });
    expect(Object.keys(answer.json)).toEqual(['records']);
    expect((await get('contracts')).json).toEqual({ records: [] });
  });

  test('elevators too', async () => {
    const { json } = await get('elevators');
    const stored = { updated_at: expect.stringMatching(/Z$/) };
    const first = { id: 'E1', ...stored, deleted_at: stored.updated_at };
    expect(json).toEqual({ records: [first, { id: 'E2', ...stored }] });
    expect((await get('elevators?limit=1')).json).toEqual({ records: [first], next: 'E1' });
    expect(idsOf(await get('elevators?after=E1'))).toEqual(['E2']);
    await push('421', 'elevators', { id: 'E4', name: 'N', deleted_at: '2026-01-01T00:00:00-06:00' });
    const dated = await api.ask('GET', '/api/v1/records/elevators?after=E3', { token: tokens['421']! });
    expect(dated.json.records).toMatchObject([{ id: 'E4', deleted_at: '2026-01-01T06:00:00.000Z' }]);
  });

  test.each([1, 2, 3, 6, 7, 5000])('page by page, %i at a time, each is met once', async (limit) => {
    const met: string[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const page: ApiAnswer = await get(`tickets?limit=${limit}&after=${encodeURIComponent(next)}`);
      expect(page.json.records.length).toBeLessThanOrEqual(limit);
      met.push(...idsOf(page));
      next = page.json.next;
    }
    expect(met).toEqual(idsOf(await get('tickets')));
  });

  test('of no other company, however its id begins', async () => {
    for (const [company, ids] of Object.entries({ '421': ['1'], '4': ['2-1'], '42.': ['1'] })) {
      expect(idsOf(await get('tickets', company))).toEqual(ids);
    }
    expect(idsOf(await get('tickets?after=zzz'))).toEqual(['ü-1']);
  });

  slowTest(
    'a page is a range of _id and nothing else, so its index finds it, whatever comes before or is others’',
    async () => {
      const many = (company: string) =>
        push(company, 'contracts', ...Array.from({ length: 300 }, (_, at) => ticket(`C-${1000 + at}`)));
      for (const company of ['42', '421', '4']) await many(company);
      const plan = pushedAfter(api.store, 'contracts', '42', { after: 'C-1249', limit: 10 });
      const { queryPlanner, executionStats, serverInfo } = await plan.explain('executionStats');
      // MongoDB seeks a range of _id by the index that every collection has; the stand-in looks at all, and says what it looked for.
      if (serverInfo.host !== 'secantus') return expect(executionStats.totalDocsExamined).toBeLessThan(15);
      const bounds = [{ _id: { $lt: '42.' } }, { _id: { $gt: '42-C-1249' } }];
      expect(queryPlanner.parsedQuery.$and).toEqual(expect.arrayContaining(bounds));
      expect(queryPlanner.parsedQuery.$and).toHaveLength(bounds.length);
    },
  );

  test.each([
    ['tickets?limit=0', 'limit'],
    ['tickets?limit=5001', 'limit'],
    ['tickets?limit=', 'limit'],
    ['tickets?limit=1&limit=2', 'limit'],
    [`tickets?after=${'x'.repeat(129)}`, 'after'],
    ['tickets?after=%00', 'after'],
    ['farms', 'type'],
    ['constructor', 'type'],
  ])('422 for %s', async (path, field) => {
    const answer = await get(path);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.json.validation_messages).toEqual({ [field]: [expect.any(String)] });
  });
});

describe('elevators', () => {
  const COMPANIES = {
    '42': 'Prairie Co-op',
    '421': 'Valley Grain',
    '4': 'Red River Elevators',
    '42.': 'Odd Id Co-op',
  };

  const tokens: Record<string, string> = {};
  const keys: Record<string, string> = {};

  const push = (company: string, elevators: object[]) =>
    api.ask('POST', '/api/v1/push', {
      token: tokens[company]!,
      body: { data: [{ 'update-elevators': { elevators } }] },
    });
  const get = (slug: string, query = '') =>
    api.ask('GET', `/api/v1/channels/${slug}/elevators${query}`, { token: keys[slug]! });
  const idsOf = (data: { id: string }[]) => data.map(({ id }) => id);

  beforeAll(async () => {
    api = await startApi();
    for (const [id, name] of Object.entries(COMPANIES)) {
      tokens[id] = await integrationToken(api.store, { id, name });
    }
    keys['every'] = await channelKey(api.store, 'every');
    keys['two'] = await channelKey(api.store, 'two', { companies: ['421', '42'] });
    keys['lender'] = await channelKey(api.store, 'lender', { companies: ['42'], scope: 'subscribed' });
    keys['none'] = await channelKey(api.store, 'none', { companies: ['7'] });
    const some = (...ids: string[]) => ids.map((id) => ({ id, name: `Elevator ${id}` }));
    await push('42', [ELEVATOR, ...some('7', '-', 'ü-1', '9')]);
    await push('421', some('1', '2'));
    await push('4', some('2-1', '21-5'));
    await push('42.', some('1'));
  });

  test('as they were pushed, with the id that the feed refers to them by, and the company', async () => {
    const { status, json } = await get('lender');
    const { id } = ELEVATOR;
    expect([status, json.next]).toEqual([200, null]);
    expect(json.data).toContainEqual({
      ...ELEVATOR,
      id: `42-${id}`,
      remote_id: id,
      company: { id: '42', name: 'Prairie Co-op' },
    });
  });

  test('deleted_at is there, null while it is open, though it was never pushed', async () => {
    for (const slug of ['every', 'lender']) {
      const { json } = await get(slug, '?after=42-6&limit=1');
      expect(json.data).toEqual([expect.objectContaining({ id: '42-7', deleted_at: null })]);
    }
  });

  test('unknown properties are kept; a channel of scope subscribed is shown those that the ERP declares', async () => {
    const odd = {
      id: 'odd',
      name: 'Odd',
      company_id: '7',
      bins: [{ 'a.b': 1, $x: null }],
      deleted_at: '2026-01-01T00:00:00Z',
    };
    await push('42', [odd]);
    const shownTo = async (slug: string) => (await get(slug, '?after=42-oda&limit=1')).json.data;
    const whole = { ...odd, id: '42-odd', remote_id: 'odd', company: { id: '42', name: 'Prairie Co-op' } };
    const { bins, company_id: _, ...known } = whole;
    expect([await shownTo('two'), await shownTo('lender')]).toEqual([[whole], [known]]);
    const agris = { _id: 'agris', company: { id: '42' } };
    const remove: string[] = [];
    await setPassedFields(api.store, agris, { add: ['elevators.bins', 'tickets.company_id'], remove });
    expect([await shownTo('two'), await shownTo('lender')]).toEqual([[whole], [{ ...known, bins }]]);
  });

  test('what a reference in the feed says is found', async () => {
    const ticket = { id: 'T-1', account_id: '1', elevator_id: ELEVATOR.id };
    await api.ask('POST', '/api/v1/push', {
      token: tokens['42']!,
      body: { data: [{ 'update-tickets': { tickets: [ticket] } }] },
    });
    const stored = await api.store.db
      .collection<{ _id: string; wire: Buffer }>('tickets')
      .findOne({ _id: '42-T-1' });
    const { elevator } = (JSON.parse(String(stored!.wire.toString())) as { ticket: { elevator: object } })
      .ticket;
    expect((await get('two', '?limit=200')).json.data).toContainEqual(expect.objectContaining(elevator));
  });

  test('only those of the channel’s companies, also where one id begins as another does', async () => {
    const companiesIn = async (slug: string) =>
      new Set(
        (await get(slug, '?limit=200')).json.data.map((one: { company: { id: string } }) => one.company.id),
      );
    expect(await companiesIn('lender')).toEqual(new Set(['42']));
    expect(await companiesIn('two')).toEqual(new Set(['42', '421']));
    expect(await companiesIn('every')).toEqual(new Set(Object.keys(COMPANIES)));
    expect((await get('none')).json).toEqual({ data: [], next: null });
  });

  slowTest.each(['lender', 'two', 'every'])(
    'page by page each one once, whatever the limit: %s',
    async (slug) => {
      const all = idsOf((await get(slug, '?limit=200')).json.data);
      expect(new Set(all).size).toBe(all.length);
      for (const limit of [1, 2, 3, all.length, all.length + 1]) {
        const walked: string[] = [];
        let next: string | null = null;
        do {
          const after: string = next === null ? '' : `&after=${encodeURIComponent(next)}`;
          const { data, next: following } = (await get(slug, `?limit=${limit}${after}`)).json;
          expect(following === null || following === data.at(-1).id).toBe(true);
          walked.push(...idsOf(data));
          next = following;
        } while (next !== null);
        expect(walked).toEqual(all);
      }
    },
  );

  test('fifty without a limit', async () => {
    await push(
      '421',
      Array.from({ length: 60 }, (_, index) => ({ id: `m-${index}`, name: 'M' })),
    );
    const { data, next } = (await get('two')).json;
    expect([data.length, next]).toEqual([50, data[49].id]);
  });

  slowTest('a page has 8 MiB at most, or one elevator, and says that more come', async () => {
    keys['large'] = await channelKey(api.store, 'large', { companies: ['8'] });
    const elevator = (id: string, mebibytes: number) => ({
      _id: `8-${id}`,
      company_id: '8',
      json: Buffer.from(JSON.stringify({ id, name: id, note: 'x'.repeat(mebibytes * 2 ** 20 - 100) })),
      updated_at: new Date(),
    });
    const large = [elevator('a', 4), elevator('b', 4), elevator('c', 9), elevator('d', 1)];
    await api.store.db.collection<{ _id: string }>('elevators').insertMany(large);
    const pages: string[][] = [];
    for (let next: string | null = ''; next !== null;) {
      const { json } = await get('large', next && `?after=${next}`);
      pages.push(idsOf(json.data));
      next = json.next;
    }
    expect(pages).toEqual([['8-a', '8-b'], ['8-c'], ['8-d']]);
  });
});
