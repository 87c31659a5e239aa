import { isLive, revoked, rotated, TwoTokensLive } from '../../store/access/live-tokens';
import { hashToken } from '../../store/access/tokens';

const HOUR = 3_600_000;
const began = new Date('2026-11-24T08:00:00Z');
const later = (ms: number) => new Date(began.getTime() + ms);
const opens = (live: ReturnType<typeof rotated>, now: Date) =>
  ['first', 'second', 'third'].filter((token) => {
    const hash = hashToken(token);
    return live.hashes.includes(hash) && isLive(live, hash, now);
  });

const first = { hashes: [hashToken('first')], ends_at: undefined };
const second = rotated('second', first, HOUR, began);

test('the one before the newest lives for its time, and a third waits for its end', () => {
  expect(opens(second, later(HOUR - 1))).toEqual(['first', 'second']);
  expect(() => rotated('third', second, HOUR, later(HOUR - 1))).toThrow(TwoTokensLive);
  expect(opens(second, later(HOUR))).toEqual(['second']);
});

test('one whose time is over lives no more, whatever is rotated afterwards', () => {
  const third = rotated('third', second, HOUR, later(HOUR));
  expect(opens(third, later(HOUR + 1))).toEqual(['second', 'third']);
  expect(opens(third, later(2 * HOUR))).toEqual(['third']);
});

test('at once, and revoked: nothing before it lives', () => {
  expect(opens(rotated('third', second, 0, began), began)).toEqual(['third']);
  expect(opens(revoked(second, 'old'), began)).toEqual(['second']);
  expect(opens(revoked(second, 'all'), began)).toEqual([]);
});
