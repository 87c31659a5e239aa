import { ELEVATOR } from '../../api/openapi/examples';
import { channelKey, integrationToken, startApi, type Api } from './start-api';

const COMPANIES = {
  '42': 'Prairie Co-op',
  '421': 'Valley Grain',
  '4': 'Red River Elevators',
  '42.': 'Odd Id Co-op',
};

let api: Api;
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
afterAll(() => api.stop());

test('as they were pushed, with the id that the feed refers to them by, and the company', async () => {
  const { status, json } = await get('lender');
  const { id, ...rest } = ELEVATOR;
  expect([status, json.next]).toEqual([200, null]);
  expect(json.data).toContainEqual({
    ...rest,
    id: `42-${id}`,
    remote_id: id,
    company: { id: '42', name: 'Prairie Co-op' },
  });
});

test('unknown properties are kept', async () => {
  const odd = {
    id: 'odd',
    name: 'Odd',
    company_id: '7',
    bins: [{ 'a.b': 1, $x: null }],
    deleted_at: '2026-01-01T00:00:00Z',
  };
  await push('42', [odd]);
  const { data } = (await get('lender', '?after=42-oda&limit=1')).json;
  expect(data).toEqual([
    { ...odd, id: '42-odd', remote_id: 'odd', company: { id: '42', name: 'Prairie Co-op' } },
  ]);
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

test.each(['lender', 'two', 'every'])('page by page each one once, whatever the limit: %s', async (slug) => {
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
});

test('fifty without a limit', async () => {
  await push(
    '421',
    Array.from({ length: 60 }, (_, index) => ({ id: `m-${index}`, name: 'M' })),
  );
  const { data, next } = (await get('two')).json;
  expect([data.length, next]).toEqual([50, data[49].id]);
});

test('a page has 8 MiB at most, or one elevator, and says that more come', async () => {
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
