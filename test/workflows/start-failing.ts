import { NOTHING_YET } from '../../domain/deliveries/delivery';
import { startMarker } from '../../store/markers/markers';
import { readCeiling } from '../../store/records/counters';
import type { FakeCustomer } from '../setup/fake-customer';
import type { TestFeed } from './test-feed';

/** A delivery of one account to a customer that has answered 503 so many times since then, and goes on so. */
export async function startFailing(
  feed: TestFeed,
  slug: string,
  { times, since }: { times: number; since: number },
): Promise<FakeCustomer> {
  const customer = await feed.addChannel(slug, { page_size: 10 }, () => 503);
  await feed.push(slug, ['accounts'], 1);
  await startMarker(feed.store, slug, 'accounts', 0);
  const so_far = { unconfirmed: times, in_a_row: times, started: since, failing_since: since };
  const window = { entity_type: 'accounts', catch_up: false, generation: 0, from: 0, records: 1 };
  await feed.client.workflow.start('feedDelivery', {
    workflowId: `delivery/${slug}/accounts/1`,
    taskQueue: feed.worker.taskQueue,
    args: [
      {
        ...{ ...window, to: await readCeiling(feed.store, 'accounts'), read: 'range', more: false },
        ...{ channel: slug, channel_name: 'Acme', cadence_ms: 60_000, page_size: 10, unanswered: false },
        ...{ run: 1, trigger: 'schedule', spent: { set_aside: 0, probes: 0 } },
        so_far: { ...so_far, totals: NOTHING_YET, calls: times, unanswered: false },
      },
    ],
  });
  return customer;
}
