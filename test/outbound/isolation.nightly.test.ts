import { setTimeout } from 'node:timers/promises';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { pushRecords } from '../setup/push-records';
import { ALL, someRecords, TestFeed } from '../workflows/test-feed';
import { OddCustomer, trickles } from './odd-customer';

// What a loaded machine may add to a median of half a second.
const NOISE = { factor: 2, ms: 1_000 };
const COMPANY = { id: '500', name: 'Prairie Co-op' };
const OTHERS = 27;
const ODD_PAGES = 200; // of each odd customer: 400 s of the slow one
const LOADED_MACHINE_MS = 240_000;

let feed: TestFeed;
let trickler: OddCustomer;

beforeAll(async () => {
  feed = await TestFeed.start();
  trickler = await OddCustomer.start(trickles('HTTP/1.1 200 OK', 'x-slow: '));
}, LOADED_MACHINE_MS);

/**
 * Many channels deliver a change alone, then one while a dead, a trickling and a slow customer are being served with all
 * their entity types. It asserts that the median from due to confirmed is at most twice that of before and a second
 * more, where the three take 2 s to 30 s a page.
 */
it(
  'a dead, a trickling and a slow customer cost the others nothing',
  async () => {
    const others = await Promise.all(
      Array.from({ length: OTHERS }, (_, index) => addOther(`other-${index}`)),
    );
    await deliverRound(others, 1); // starts the workflows
    const before = await deliverRound(others, 2);

    const [dead, slow] = await startOdd();
    const bound = NOISE.factor * median(before) + NOISE.ms;
    // Other load may slow one round; the three customers would slow all of them.
    let during = Infinity;
    for (let round = 3; round <= 5 && during >= bound; round++) {
      during = Math.min(during, median(await deliverRound(others, round)));
    }

    expect(trickler.spoken).toBeGreaterThan(0);
    expect([dead.pages.length > 0, dead.confirmed().length]).toEqual([true, 0]);
    expect(slow.confirmed().length).toBeLessThan(ODD_PAGES); // still at it
    expect(during).toBeLessThan(bound);
  },
  LOADED_MACHINE_MS,
);

interface Other {
  slug: string;
  customer: FakeCustomer;
}

async function addOther(slug: string): Promise<Other> {
  return {
    slug,
    customer: await feed.addChannel(slug, { entity_types: ['tickets'], companies: [COMPANY.id] }),
  };
}

async function startOdd(): Promise<[FakeCustomer, FakeCustomer]> {
  const settings = { page_size: 1 };
  const dead = await feed.addChannel('dead', settings, () => new Promise<never>(() => {}));
  const slow = await feed.addChannel('slow', settings, () => setTimeout(2_000, 200));
  await feed.addChannel('trickling', settings);
  await feed.changeChannel('trickling', { base_url: new URL(trickler.url).origin });
  for (const slug of ['dead', 'slow', 'trickling']) {
    await feed.push(slug, ALL, ODD_PAGES / ALL.length);
    await feed.deliverNow(slug);
  }
  await eventually(
    () => expect([dead.pages.length, slow.pages.length, trickler.spoken]).not.toContain(0),
    LOADED_MACHINE_MS,
  );
  return [dead, slow];
}

/** @returns of each channel, the milliseconds from due to confirmed */
async function deliverRound(others: Other[], round: number): Promise<number[]> {
  await pushRecords(feed.store, { tickets: someRecords('tickets', 1, round) }, COMPANY);
  return Promise.all(
    others.map(async ({ slug, customer }) => {
      const due = Date.now();
      await eventually(() => feed.deliverNow(slug), LOADED_MACHINE_MS); // a signal waits 2 s at most
      await eventually(() => expect(customer.confirmed()).toHaveLength(round), LOADED_MACHINE_MS);
      return customer.confirmed().at(-1)!.at - due;
    }),
  );
}

function median(times: number[]): number {
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)]!;
}
