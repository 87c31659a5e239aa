import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/store';
import { waitUntil } from '../../tools/local/wait-until';
import { channelWorkflowId, deliveryWorkflowId } from '../../workflows/messages';
import { addTestChannel } from '../setup/add-test-channel';
import type { Bench } from './bench';
import { median } from './interleave';
import { cyclesOf, type History, readBenchHistory } from './read-bench-history';
import type { Row } from './row';
import { type BenchWorker, startBenchWorker } from './start-bench-worker';
import { pushSampleTickets } from './ticket-source';

const RECORDS = 600;
// One activity's share is 50 pages: these two channels differ by two shares over the same records.
const FEW_PAGES = 50;
const MANY_PAGES = 150;
const CYCLES = 3;

/** What the workflows leave in Temporal: exact, on a real server with the real worker. */
export async function measureT1(bench: Bench): Promise<Row[]> {
  const store = await bench.openStore();
  await pushSampleTickets(store, RECORDS);
  const worker = await startBenchWorker(bench, store, `bench-${randomUUID().slice(0, 8)}`);
  bench.note('T1: waiting for deliveries and for idle cycles');
  const few = await deliver(bench, store, worker, RECORDS / FEW_PAGES);
  const many = await deliver(bench, store, worker, RECORDS / MANY_PAGES);
  return rowsOf(few, many, await idle(bench, store, worker));
}

interface Delivered {
  channel: History;
  delivery: History;
}

async function deliver(
  bench: Bench,
  store: Store,
  worker: BenchWorker,
  pageSize: number,
): Promise<Delivered> {
  const slug = await addBenchChannel(bench, store, 3_600_000, pageSize);
  const id = deliveryWorkflowId(slug, 'tickets', 1);
  await worker.temporal.deliverNow(slug, { request_id: randomUUID() });
  await waitUntil(async () => void (await worker.client.workflow.getHandle(id).describe()), 60_000);
  await worker.client.workflow.getHandle(id).result();
  // The run has ended when the channel waits again.
  return {
    delivery: await readBenchHistory(worker.client, id),
    channel: await waiting(worker, slug, 1),
  };
}

/** A channel that has nothing to send, through some of its cycles. */
async function idle(bench: Bench, store: Store, worker: BenchWorker): Promise<History> {
  const slug = await addBenchChannel(bench, store, 1_000, RECORDS);
  await worker.temporal.deliverNow(slug, { request_id: randomUUID() });
  return waiting(worker, slug, CYCLES + 3); // the first ones still deliver
}

/** The channel's history once it has begun to wait so many times. */
async function waiting({ client }: BenchWorker, slug: string, times: number): Promise<History> {
  let history: History | undefined;
  await waitUntil(async () => {
    history = await readBenchHistory(client, channelWorkflowId(slug));
    const timers = history.events.filter((event) => event['timerStartedEventAttributes']);
    if (timers.length < times) throw new Error(`${slug} has waited ${timers.length} of ${times} times`);
  }, 60_000);
  return history!;
}

async function addBenchChannel(
  bench: Bench,
  store: Store,
  cadence: number,
  pageSize: number,
): Promise<string> {
  const slug = `bench-${randomUUID().slice(0, 8)}`;
  await addTestChannel(store, slug, bench.sinkUrl, { cadence_ms: cadence, page_size: pageSize });
  return slug;
}

function rowsOf(few: Delivered, many: Delivered, idling: History): Row[] {
  const eventsOf = ({ channel, delivery }: Delivered) => channel.events.length + delivery.events.length;
  const shares = (MANY_PAGES - FEW_PAGES) / 50;
  const slope = (eventsOf(many) - eventsOf(few)) / shares;
  const histories = [few.channel, few.delivery, many.channel, many.delivery, idling];
  const row = (what: string, value: number, atMost: number): Row => ({
    id: 'T1',
    what,
    value,
    unit: 'count',
    bound: { hard: true, atMost },
  });
  return [
    row('events of an idle cycle', median(cyclesOf(idling).slice(-CYCLES)), 12),
    {
      ...row('events for 50 more pages', slope, 10),
      detail: `${eventsOf(few)} for the first ${FEW_PAGES}, the run's plan among them`,
    },
    {
      ...row('largest payload', Math.max(...histories.map((one) => one.largestPayload)), 2_047),
      unit: 'bytes',
    },
    {
      id: 'T1',
      what: 'events of a run of 1,000,000 records, by the slope',
      value: eventsOf(few) + 19 * slope,
      unit: 'count',
    },
  ];
}
