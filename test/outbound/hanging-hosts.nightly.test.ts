import { setTimeout } from 'node:timers/promises';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { TestFeed } from '../workflows/test-feed';

// GDX_CASES=100 runs it at full size: 100 hanging customers, 20 healthy ones with 50 pages each.
const HANGING = Number(process.env['GDX_CASES'] ?? 40);
const HEALTHY = Math.ceil(HANGING / 5);
const PAGES = Math.ceil(HANGING / 2);
const PAGE_SIZE = 2;
const ONLY = { entity_types: ['tickets' as const], page_size: PAGE_SIZE };

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

interface Healthy {
  slug: string;
  customer: FakeCustomer;
}

/**
 * Delivers a backlog to each, then resets it in the middle. @returns milliseconds until all of it is confirmed twice
 */
async function serveAll(healthy: Healthy[], round: number): Promise<number> {
  const backlog = PAGES * PAGE_SIZE;
  for (const { slug } of healthy) await feed.push(slug, ['tickets'], backlog, 1 + round * backlog);
  const started = Date.now();
  await Promise.all(
    healthy.map(async ({ slug, customer }) => {
      const before = customer.confirmed().length;
      await feed.deliverNow(slug);
      await eventually(() => expect(customer.confirmed().length).toBeGreaterThan(before + PAGES / 2));
      const floor = (await feed.marker(slug, 'tickets')).position;
      await feed.reset(slug, 'tickets');
      await eventually(async () => {
        const { position, generation } = await feed.marker(slug, 'tickets');
        expect([position >= floor, generation]).toEqual([true, round + 1]);
        expect(feed.held(customer, 'tickets')).toHaveLength((round + 1) * backlog);
      });
    }),
  );
  return Date.now() - started;
}

test(`${HANGING} customers that never answer, each on a host of its own, cost ${HEALTHY} healthy ones nothing`, async () => {
  const healthy: Healthy[] = [];
  for (let one = 0; one < HEALTHY; one++) {
    const slug = `healthy-${one}`;
    healthy.push({ slug, customer: await feed.addChannel(slug, ONLY, undefined, `127.0.2.${one + 1}`) });
  }
  await serveAll(healthy, 0); // starts the workflows
  const alone = await serveAll(healthy, 1);
  const hanging: FakeCustomer[] = [];
  for (let one = 0; one < HANGING; one++) {
    const slug = `hanging-${one}`;
    const never = () => new Promise<never>(() => {});
    hanging.push(await feed.addChannel(slug, ONLY, never, `127.0.1.${one + 1}`));
    await feed.push(slug, ['tickets'], 1);
    await feed.deliverNow(slug);
  }
  await eventually(() => expect(hanging.every(({ pages }) => pages.length > 0)).toBe(true));
  // once during their first attempts, once during the retries
  const first = await serveAll(healthy, 2);
  await setTimeout(Math.max(0, 35_000 - first));
  const later = await serveAll(healthy, 3);
  console.log(`alone ${alone} ms, beside first tries ${first} ms, beside later tries ${later} ms`);
  expect(hanging.every((customer) => customer.confirmed().length === 0)).toBe(true);
  // each round is one backlog larger than the one before; a loaded machine may add some seconds
  for (const [round, took] of [first, later].entries()) {
    expect(took).toBeLessThan(2 * alone * ((round + 3) / 2) + 5_000);
  }
}, 600_000);
