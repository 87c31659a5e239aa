import type { Bench } from './bench';
import { BenchCustomer } from './bench-customer';
import { interleave, medianLap, ratio } from './interleave';
import { ResetStage } from './reset-stage';
import type { Row } from './row';
import { pushSampleTickets } from './ticket-source';

const ANSWER_MS = 50;
// Small ones: what waits for customers is to overlap, and not what two cores compute.
const PAGE_SIZE = 100;
// Of so many channels of one worker; beyond, the cores of a small machine are full.
const LINEAR_TO = 8;

/** More and more channels at once, each with a customer of its own who takes 50 ms a page. */
export async function measureF6(bench: Bench): Promise<Row[]> {
  const { channels: counts, channelPages: pages, rounds } = bench.sizes;
  const store = await bench.openStore();
  await pushSampleTickets(store, pages * PAGE_SIZE);
  const customers: BenchCustomer[] = [];
  for (let left = counts.at(-1)!; left > 0; left--) {
    const customer = await BenchCustomer.start();
    customer.treat = () => ({ status: 200, delayMs: ANSWER_MS });
    customers.push(customer);
  }
  const stage = await ResetStage.open(bench, store, {
    channels: customers.length,
    pageSize: PAGE_SIZE,
    types: ['tickets'],
    baseUrlOf: (number) => customers[number]!.baseUrl,
  });
  const delivering = (count: number) => {
    const some = stage.channels.slice(0, count);
    return { prepare: () => stage.rewind(some), run: () => stage.drain(some), units: pages * count };
  };
  const contestants = Object.fromEntries(counts.map((count) => [count, delivering(count)]));
  const laps = await interleave(contestants, rounds);
  return counts.slice(1).map((count) => ({
    id: 'F6',
    what: `pages a second of ${count} channels / ${count} times those of one`,
    value: ratio(laps[counts[0]!]!, laps[count]!) / count,
    unit: 'x',
    ...(count === LINEAR_TO && { bound: { hard: false, atLeast: 0.8 } }),
    detail: `${(1_000 / medianLap(laps[count]!)).toFixed(0)}/s, of one ${(1_000 / medianLap(laps[counts[0]!]!)).toFixed(0)}/s`,
  }));
}
