import { countProbe } from '../../../activities/deliver/set-record-aside';
import type { DeliverySlice, Unanswered } from '../../../activities/deliver/slice';
import { NOTHING_YET } from '../../../domain/delivery';

const refused = { end: 'unconfirmed', unconfirmed: { reason: 'refused' } } as Unanswered;

/** After sixty requests, with so much confirmed and set aside. */
function afterSixty(records: number, set_aside: number) {
  const input = { spent: { set_aside, probes: 60 } };
  return countProbe({ input, tally: { totals: { ...NOTHING_YET, records } } } as DeliverySlice, refused);
}

test('with the requests of a search used up it is the endpoint, unless something was confirmed or set aside', () => {
  expect(afterSixty(0, 0)).toMatchObject({ isEndpoint: true });
  for (const [records, set_aside] of [
    [1, 0],
    [0, 1],
  ] as const) {
    const ended = afterSixty(records, set_aside)!;
    expect(ended.isEndpoint).toBeUndefined();
    expect(ended.unconfirmed.advice).toContain('those set aside');
  }
});
