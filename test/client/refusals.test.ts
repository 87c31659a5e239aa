import { LARGEST_COMPANY, MOST_GROWTH, refusalsOf } from '../../client/push/refusals';
import { recordText } from '../../client/push/request-body';
import type { RecordType } from '../../domain/records/commands';
import { commandOf } from '../../client/push/plan';
import { MAX_RECORD_MIB } from '../../domain/records/record-too-large';
import { tryRendering } from '../../domain/records/try-rendering';
import { first, nightlyTest } from '../setup/cases';

const LARGEST_UNWEIGHED = (MAX_RECORD_MIB * 2 ** 20) / MOST_GROWTH;

// What becomes largest as it is stored: references, which get two ids and are listed again, numbers and phones.
const LARGEST: [RecordType, string, (index: number) => unknown][] = [
  ['tickets', 'splits', (index) => ({ account_id: index.toString(36) })],
  ['settlements', 'payees', (index) => ({ account_id: index.toString(36) })],
  ['tickets', 'x', () => ({ ticket_id: '' })],
  ['tickets', 'x', () => ({ replaces_ticket_id: '\u0001' })],
  ['contracts', 'x', () => 1e20],
  ['elevators', 'x', () => 1e20],
  ['accounts', 'phones', (index) => ({ phone: String(7_010_000_000 + index) })],
];

// A record has at most 100,000 values (docs/contract.md A7).
const MOST_ITEMS = 49_990;

test.each(first(1, LARGEST))(
  'of %s with many %s, one that is sent unweighed can be stored: %#',
  (type, list, item) => {
    const asLarge = Math.floor(LARGEST_UNWEIGHED / (recordText(item(99_999)).length + 1)) - 10;
    const count = Math.min(asLarge, MOST_ITEMS);
    const items = Array.from({ length: count }, (_, index) => item(index));
    const record = { id: '1', account_id: '1', name: 'x', [list]: items };
    expect(refusalsOf(commandOf(type), recordText(record))).toEqual([]);
    expect(() => tryRendering(type, record, LARGEST_COMPANY)).not.toThrow();
  },
);

nightlyTest('one that is too large as it is stored is refused, though it fits into a request', () => {
  const record = { id: '1', account_id: '1', x: Array.from({ length: 760_000 }, () => 1e20) };
  expect(refusalsOf(commandOf('tickets'), recordText(record))).toEqual([
    ['', 'is larger than 15 MiB as it is stored'],
  ]);
});
