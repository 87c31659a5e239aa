import { createByteBudget } from '../../api/byte-budget';
import { addressKey, createRateLimiter } from '../../api/rate-limit';

describe('rate limiter', () => {
  test('counts per key and forgets after a minute', () => {
    let now = 1_000_000;
    const limiter = createRateLimiter(2, () => now);
    expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 0]);
    now += 20_000;
    expect([limiter.take('a'), limiter.take('b')]).toEqual([40_000, 0]);
    now += 40_000;
    expect(limiter.take('a')).toBe(0);
  });

  test('remembers 100,000 at most, and then begins anew', () => {
    const limiter = createRateLimiter(1, () => 1_000_000);
    limiter.take('a');
    for (let other = 1; other < 100_000; other++) {
      if (other === 99_999) expect(limiter.take('a')).toBeGreaterThan(0);
      limiter.take(String(other));
    }
    expect(limiter.take('a')).toBe(0);
  });
});

describe('byte budget', () => {
  test('is shared by all leases and comes back', () => {
    const budget = createByteBudget(10);
    const [first, second] = [budget.lease('a'), budget.lease('b')];
    first.growTo(4);
    first.growTo(3); // holds four already
    second.growTo(6);
    expect(() => first.growTo(5)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    second.release();
    second.release(); // gives back once
    first.growTo(10);
    expect(() => second.growTo(1)).toThrow(expect.objectContaining({ status: 503 }));
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
])('%s and %s count as one address: %s', (one, other, same) => {
  expect(addressKey(one) === addressKey(other)).toBe(same);
});
