import { findRecord } from '../../store/records/records';
import { accounts, expectError, integrationToken, pushOf, startApi, type Api } from './start-api';
import { nightlyTest, first, scaledTest } from '../setup/cases';

const MIB = 1024 * 1024;

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = await integrationToken(api.store);
});

const push = (body: object | string, query = '') =>
  api.ask('POST', `/api/v1/push${query}`, {
    token,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const NOTE = 'n'.repeat(13.8 * MIB);
/** Four characters of JSON each, which are shown as 21. */
const grown = (numbers: number) => `[${'1e20,'.repeat(numbers - 1)}1e20]`;
const growing = (command: string, type: string, before = '') =>
  `{"data":[{"${command}":{"${type}":[${before}{"id":"grows","name":"x","note":"${NOTE}","a":${grown(90_000)}}]}}]}`;
const QUERIES = first(1, ['', '?dry_run=true']);
const KEY = 'data[0].update-accounts.accounts';

scaledTest.each(QUERIES)(
  'a record that grows beyond 15 MiB is refused by its path, and nothing is stored%s',
  async (query) => {
    const answer = await push(
      growing('update-accounts', 'accounts', `${JSON.stringify(accounts(1, 1)[0])},`),
      query,
    );
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.json.validation_messages).toEqual({
      [`${KEY}[1]`]: ['is larger than 15 MiB as it is stored'],
    });
    expect(await api.store.db.collection('accounts').countDocuments()).toBe(0);
    expect(await api.store.db.collection('push_receipts').countDocuments()).toBe(0);
  },
);

scaledTest.each(QUERIES)('so is an elevator%s', async (query) => {
  const answer = await push(growing('update-elevators', 'elevators'), query);
  expectError(answer, 422, 'VALIDATION_ERROR');
  expect(Object.keys(answer.json.validation_messages)).toEqual(['data[0].update-elevators.elevators[0]']);
});

scaledTest.each(QUERIES)('the phones that are stored beside an account count%s', async (query) => {
  const phones = Array.from({ length: 40_000 }, (_, index) => ({ phone: String(7_010_000_000 + index) }));
  const account = { id: 'many', name: 'x', note: 'n'.repeat(13.8 * MIB), phones };
  const answer = await push(pushOf([account]), query);
  expectError(answer, 422, 'VALIDATION_ERROR');
  expect(Object.keys(answer.json.validation_messages)).toEqual([`${KEY}[0]`]);
});

nightlyTest(
  'the phones that an account keeps count, and what is stored with equal content is not looked at',
  async () => {
    const phones = Array.from({ length: 40_000 }, (_, index) => ({ phone: String(7_010_000_000 + index) }));
    const account = { id: 'keeps', name: 'x' };
    expect((await push(pushOf([{ ...account, phones }]))).status).toBe(204);
    for (const query of ['?dry_run=true', '']) {
      const answer = await push(pushOf([{ ...account, note: 'n'.repeat(13.8 * MIB) }]), query);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(Object.keys(answer.json.validation_messages)).toEqual([`${KEY}[0]`]);
      expect((await push(pushOf([account]), query)).status).toBe(query ? 200 : 204);
    }
  },
);

test('in a body that takes every slot of the parser, too, and those that come after it are taken', async () => {
  const body = growing('update-elevators', 'elevators') + ' '.repeat(MIB);
  expect((await push(body)).status).toBe(422);
  expect((await push(pushOf(accounts(1, 6)))).status).toBe(204);
});

test('it harms no push that goes with it', async () => {
  const others = [7, 8, 9].map((id) => push(pushOf(accounts(1, id))));
  const [refused, ...stored] = await Promise.all([push(growing('update-accounts', 'accounts')), ...others]);
  expect([refused, ...stored].map(({ status }) => status)).toEqual([422, 204, 204, 204]);
});

test('one of 14 MiB is stored', async () => {
  expect((await push(pushOf([{ id: 'large', name: 'x', note: 'n'.repeat(14 * MIB) }]))).status).toBe(204);
  expect((await findRecord(api.store, 'accounts', '42-large'))!.wire.length).toBeGreaterThan(14 * MIB);
});

describe('a push that names large records in a few bytes', () => {
  const large = (id: string) => ({ id, name: 'x', note: 'n'.repeat(12 * MIB) });
  const deleted = (...ids: string[]) => ids.map((id) => ({ id, deleted: true }));
  const elevatorsOf = (list: object[]) => ({ data: [{ 'update-elevators': { elevators: list } }] });

  scaledTest.each(QUERIES)('is refused over 32 MiB, and is taken in several requests%s', async (query) => {
    for (const id of ['a', 'b', 'c']) expect((await push(pushOf([large(id)]))).status).toBe(204);
    for (const named of [deleted('a', 'b', 'c'), ['a', 'b', 'c'].map((id) => ({ id, name: 'x' }))])
      expectError(await push(pushOf(named), query), 413, 'PAYLOAD_TOO_LARGE');
    expect((await findRecord(api.store, 'accounts', '42-a'))!.deleted_at).toBeNull();
    const each = [deleted('a', 'b'), deleted('c')].map((some) => push(pushOf(some), query));
    for (const { status } of await Promise.all(each)) expect(status).toBe(query ? 200 : 204);
  });

  nightlyTest('so are elevators', async () => {
    for (const id of ['a', 'b', 'c']) expect((await push(elevatorsOf([large(id)]))).status).toBe(204);
    expectError(await push(elevatorsOf(deleted('a', 'b', 'c'))), 413, 'PAYLOAD_TOO_LARGE');
    expect((await push(elevatorsOf(deleted('a', 'b')))).status).toBe(204);
  });
});
