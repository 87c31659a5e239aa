import { MemberLayouts } from '../../domain/records/canonical-json';

const keysOf = (count: number, length = 1) =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'k'));

test('members stand in the order of their names; hidden ones are left out', () => {
  const members = new MemberLayouts(new Set(['id'])).of(['name', 'id', 'account_id', 'account', 'ticket_id']);
  expect(members.map(({ first }) => first)).toEqual([
    '"account":',
    '"account_id":',
    '"name":',
    '"ticket":',
    '"ticket_id":',
  ]);
  expect(members[0]).toMatchObject({ next: ',"account":', key: 'account', yieldsTo: 'account_id' });
  expect(members[1]).toMatchObject({ key: 'account_id', yieldsTo: undefined, isReferenceKey: true });
  expect(members[2]).toMatchObject({ key: 'name', yieldsTo: undefined, isReferenceKey: false });
  expect(members[3]).toMatchObject({ key: undefined, yieldsTo: 'ticket_id' });
});

test('the last eight shapes of a number of keys are kept', () => {
  const layouts = new MemberLayouts();
  const shape = (name: number) => layouts.of(['same', `${name}`]);
  const first = shape(0);
  const others = [1, 2, 3, 4, 5, 6, 7].map(shape);
  expect(shape(0)).toBe(first);
  expect([1, 2, 3, 4, 5, 6, 7].map(shape).every((members, index) => members === others[index])).toBe(true);
  shape(8);
  expect(shape(0)).not.toBe(first);
  expect(shape(0)).toEqual(first);
});

test.each([
  ['256 keys', true, keysOf(256)],
  ['257 keys', false, keysOf(257)],
  ['8,192 characters', true, keysOf(2, 4096)],
  ['8,193 characters', false, [...keysOf(1, 4096), ...keysOf(1, 4097)]],
])('a layout of %s is kept: %s', (_, isKept, keys) => {
  const layouts = new MemberLayouts();
  expect(layouts.of(keys) === layouts.of([...keys])).toBe(isKept);
});
