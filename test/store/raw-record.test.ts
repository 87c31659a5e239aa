import { BSON, Double, Long } from 'mongodb';
import { RawRecord } from '../../store/feed/raw-record';

const stored = {
  _id: '42-Müller/7',
  company_id: '42',
  account_ids: ['42-1001', '42-Ñandú'],
  left_account_ids: ['42-1002'],
  position: 7,
  updated_at: new Date('2026-10-01T06:00:00.123Z'),
  wire: Buffer.from('{"ticket":{"remote_id":"Müller/7"}}'),
};
const read = (document: object) => new RawRecord(Buffer.from(BSON.serialize(document)));

test('a record reads as what was stored, whatever the order of its fields', () => {
  for (const fields of [Object.entries(stored), Object.entries(stored).reverse()]) {
    const record = read(Object.fromEntries(fields));
    expect({
      _id: record._id,
      company_id: record.company_id,
      account_ids: record.account_ids,
      left_account_ids: record.left_account_ids,
      position: record.position,
      updated_at: record.updated_at,
      wire: record.wire,
    }).toEqual(stored);
  }
});

test('a position is a number of any of the database’s types', () => {
  const large = 2 ** 40 + 1;
  for (const position of [large, Long.fromNumber(large), new Double(large)]) {
    expect(read({ ...stored, position }).position).toBe(large);
  }
});

test('a time before 1970 is read too', () => {
  const updated_at = new Date('1969-12-31T23:59:59.999Z');
  expect(read({ ...stored, updated_at }).updated_at).toEqual(updated_at);
});

test('accounts that were not asked for are none, and another field that was not is an error', () => {
  const { position, wire } = stored;
  const record = read({ position, wire });
  expect([record.account_ids, record.left_account_ids]).toEqual([[], []]);
  expect(() => record._id).toThrow('a record was read without its _id');
  expect(() => read({ wire })).toThrow('a record was read without its position');
});
