import { HostBusy, HostLimiter, MAX_PAGES_PER_HOST } from '../../customer/host-limiter';

const HOST = 'acme.example';

/** Starts this many pages, which run until they are released. */
function busy(limiter: HostLimiter, many = MAX_PAGES_PER_HOST) {
  return Array.from({ length: many }, () => {
    let end = () => {};
    const work = limiter.run(HOST, () => new Promise<void>((resolve) => (end = resolve)));
    return { end: () => (end(), work) };
  });
}
const nothing = async () => 'done';
const oneTick = () => new Promise((resolve) => setImmediate(resolve));

test('one host has so many slots; another has its own', async () => {
  const limiter = new HostLimiter(20);
  const working = busy(limiter);
  await oneTick();
  await expect(limiter.run(HOST, nothing)).rejects.toThrow(HostBusy);
  expect(await limiter.run('bank.example', nothing)).toBe('done');
  await working[0]!.end();
  expect(await limiter.run(HOST, nothing)).toBe('done');
  await Promise.all(working.slice(1).map(({ end }) => end()));
});

test('the limit holds while pages come and go', async () => {
  const limiter = new HostLimiter(20);
  const working = busy(limiter);
  await oneTick();
  await working[0]!.end();
  const next = busy(limiter, 1);
  await oneTick();
  await expect(limiter.run(HOST, nothing)).rejects.toThrow(HostBusy);
  await Promise.all([...working.slice(1), ...next].map(({ end }) => end()));
});

test('who waits comes next, in order', async () => {
  const limiter = new HostLimiter(60_000);
  const working = busy(limiter);
  await oneTick();
  const order: number[] = [];
  const waiting = [1, 2].map((number) => limiter.run(HOST, async () => void order.push(number)));
  await oneTick();
  expect(order).toEqual([]);
  await Promise.all(working.map(({ end }) => end()));
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
});

test('a slot is released whatever comes of the work', async () => {
  const limiter = new HostLimiter(20);
  for (let round = 0; round < 2 * MAX_PAGES_PER_HOST; round++) {
    await expect(limiter.run(HOST, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  }
  expect(await limiter.run(HOST, nothing)).toBe('done');
});
