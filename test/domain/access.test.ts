import { refusedBy } from '../../domain/settings/access';

const END = new Date('2027-01-01T00:00:00Z');
const FIVE_MINUTES = 5 * 60_000;
const at = (offset: number) => new Date(END.getTime() + offset);

test('an end is judged by the clock of the caller: clocks five minutes apart disagree for five minutes', () => {
  const refused = (offset: number) => refusedBy({ expires_at: END }, '203.0.113.7', at(offset));
  expect([refused(-1), refused(0)]).toEqual([undefined, 'expired']);
  const clocks = (offset: number) => [refused(offset), refused(offset + FIVE_MINUTES)];
  expect(clocks(-FIVE_MINUTES - 1)).toEqual([undefined, undefined]);
  expect(clocks(-FIVE_MINUTES)).toEqual([undefined, 'expired']);
  expect(clocks(0)).toEqual(['expired', 'expired']);
});

test.each([
  [[], '198.51.100.1', true],
  [['203.0.113.0/24'], '203.0.113.255', true],
  [['203.0.113.0/24'], '::ffff:203.0.113.1', true],
  [['203.0.113.0/24'], '203.0.114.0', false],
  [['203.0.113.0/24', '2001:db8::/32'], '2001:db8::1', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['0.0.0.0/0'], '', false],
  [['::/0'], 'somewhere', false],
])('%j and %s: %s', (addresses, ip, admitted) => {
  expect(refusedBy({ addresses }, ip, END)).toBe(admitted ? undefined : 'not from this address');
});

test('nothing bound is nothing refused', () => {
  expect(refusedBy(undefined, '', END)).toBeUndefined();
  expect(refusedBy({ expires_at: null, addresses: [] }, '', END)).toBeUndefined();
});
