import type { Store } from '../../store/store';
import type { Bench } from './bench';
import { quantile } from './interleave';
import { pushBody, storeBody } from './push-body';
import { ResetStage } from './reset-stage';
import type { Row } from './row';
import { startBareWorker } from './start-bare-worker';
import { TicketSource } from './ticket-source';

// Signals to one channel within a second are merged, so the trips take turns.
const CHANNELS = 20;
const WARM_UP = 5;

/** From `deliver now` to the first page at the customer, against a signal that runs an empty activity. */
export async function measureF7(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  const stage = await ResetStage.open(bench, store, {
    channels: CHANNELS,
    pageSize: 100,
    types: ['tickets'],
  });
  const bare = await startBareWorker(await bench.temporalAddress(), stage.worker.client);
  const trips = WARM_UP + bench.sizes.trips;
  const source = new TicketSource(trips);
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let trip = 0; trip < trips; trip++) {
    times.ours.push(await timed(await deliverNow(stage, store, source, trip)));
    await stage.lastDelivery(stage.channels[trip % CHANNELS]!, 'tickets');
    times.bare.push(await timed(bare.trip));
  }
  const at = (of: keyof typeof times, share: number) => quantile(times[of].slice(WARM_UP), share);
  const shown = (of: keyof typeof times) => `${at(of, 0.5).toFixed(0)} and ${at(of, 0.95).toFixed(0)} ms`;
  return [
    {
      id: 'F7',
      what: 'deliver now to the first page, p95: ours / a bare signal to an activity',
      value: at('ours', 0.95) / at('bare', 0.95),
      unit: 'x',
      bound: { hard: false, atMost: 5 },
      detail: `p50 and p95: ours ${shown('ours')}, bare ${shown('bare')}`,
    },
  ];
}

/** One more ticket for a channel, and the trip it makes. */
async function deliverNow(stage: ResetStage, store: Store, source: TicketSource, trip: number) {
  await storeBody(store, pushBody(source.take(1)));
  const channel = stage.channels[trip % CHANNELS]!;
  return async () => {
    const page = stage.customer.nextPage(channel._id, 'tickets');
    await stage.deliverNow(channel);
    await page;
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
