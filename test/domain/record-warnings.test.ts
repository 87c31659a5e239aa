import { recordWarnings, sayWarning } from '../../domain/records/record-warnings';

test('unknown values come first, then sums that do not add up', () =>
  expect(
    recordWarnings('tickets', {
      direction: 'sideways',
      gross_weight: 3,
      tare_weight: 1,
      net_weight: 1,
    }).map(sayWarning),
  ).toEqual([
    'direction is none of inbound, outbound, redelivered',
    'net_weight is not gross_weight - tare_weight (off by -1)',
  ]));
