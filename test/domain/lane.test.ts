import { describeLane, type LaneView } from '../../domain/deliveries/lane';

const UNTIL = '2026-11-21T10:05:30.000Z';

test.each<[LaneView['state'], until: string | null, why: string | null, shown: string]>([
  ['idle', UNTIL, null, 'idle until 10:05:30'],
  ['idle', null, null, 'idle'],
  ['delivering', null, 'page 3 of 7', 'delivering page 3 of 7'],
  ['delivering', null, null, 'delivering'],
  ['waiting', UNTIL, 'Acme answered 503', 'waiting: Acme answered 503, next try 10:05:30'],
  ['waiting', null, null, 'waiting: for the customer'],
  ['held', UNTIL, null, 'held back until 10:05:30'],
  ['held', null, null, 'held back until the customer is ready'],
  ['paused', null, null, 'paused'],
])('%s, until %s, because of %s: %s', (state, until, why, shown) =>
  expect(describeLane({ entity_type: 'tickets', state, until, why })).toBe(shown),
);
