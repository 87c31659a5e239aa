import { createServer } from 'node:http';
import { addTestChannel } from '../setup/add-test-channel';
import { eventually } from '../setup/eventually';
import { pushRecords } from '../setup/push-records';
import { MAX_IN_WINDOW } from '../../store/window/window';
import { eventsOf, recordedRuns } from './read-history';
import { serveHere } from '../setup/serve-here';
import { stand } from '../setup/stand';

// GDX_CASES=1000000 asks for as much as is promised: then a MongoDB that stores 15,000 records a second is wanted.
const RECORDS = Number(process.env['GDX_CASES'] ?? 6_000);
const AT_ONCE = 3_000;
const WITHIN = { answerMs: 2_500, firstPageMs: 1_000, noiseMs: RECORDS > 100_000 ? 0 : 5_000 };

interface Meta {
  current_page: number;
  page_count: number;
  total_count: number;
  total_pages: number;
}

/** Takes everything, and keeps of each page only its numbers. */
async function openSink() {
  const pages: { at: number; delivery: string; meta: Meta }[] = [];
  const server = createServer((request, response) => {
    const at = Date.now();
    let tail = Buffer.alloc(0);
    request.on('data', (chunk: Buffer) => (tail = Buffer.concat([tail, chunk]).subarray(-300)));
    request.on('end', () => {
      const { meta } = JSON.parse(`{${/"meta":.*$/.exec(tail.toString())![0]}`) as { meta: Meta };
      pages.push({ at, delivery: String(request.headers['x-delivery-id']), meta });
      response.writeHead(204).end();
    });
  });
  return { pages, url: (await serveHere(server)).url };
}

test(`a reset of ${RECORDS} tickets: answered soon, its first page soon after, every delivery with totals of its own`, async () => {
  const { feed, api } = await stand({ feed: {}, api: {} });
  const sink = await openSink();
  const settings = { entity_types: ['tickets' as const], cadence_ms: 24 * 3_600_000, companies: [] };
  const { apiKey: token } = await addTestChannel(feed.store, 'large', sink.url, settings);
  for (let first = 1; first <= RECORDS; first += AT_ONCE) {
    const tickets = Array.from({ length: Math.min(AT_ONCE, RECORDS - first + 1) }, (_, index) => {
      return { id: String(first + index), account_id: '1001', net_weight: 42_310, commodity: 'corn' };
    });
    await pushRecords(feed.store, { tickets });
  }
  const markers = feed.store.db.collection<{ _id: string; position: number }>('markers');
  const isDone = async () =>
    expect((await markers.findOne({ _id: 'large/tickets' }))?.position).toBe(RECORDS);
  await markers.updateOne({ _id: 'large/tickets' }, { $set: { position: RECORDS } });
  await feed.deliverNow('large');
  await eventually(isDone, 600_000);
  const reset = async () => {
    sink.pages.length = 0;
    const asked = Date.now();
    const path = '/api/v1/channels/large/markers/tickets/reset';
    const answer = await api.ask('POST', path, { token, body: { timestamp: '2016-01-01T00:00:00Z' } });
    const answered = Date.now();
    await eventually(() => expect(sink.pages.length).toBeGreaterThan(0));
    const first = sink.pages[0]!.at - answered;
    await eventually(isDone, 600_000);
    return { answer, answeredAfter: answered - asked, first, all: Date.now() - answered };
  };
  const isSlow = (one: { answeredAfter: number; first: number }) =>
    one.answeredAfter >= WITHIN.answerMs + WITHIN.noiseMs || one.first >= WITHIN.firstPageMs + WITHIN.noiseMs;
  let seen = await reset();
  // Something else on the machine may slow one.
  for (let again = 0; again < 2 && isSlow(seen); again++) seen = await reset();
  const { answer, answeredAfter, first, all } = seen;
  console.log(
    `${RECORDS} tickets: answered after ${answeredAfter} ms with ${answer.text}, first page ${first} ms after it, all after ${all} ms`,
  );
  expect(answer).toMatchObject({ status: 200, json: { starts: 'now' } });
  expect(answeredAfter).toBeLessThan(WITHIN.answerMs + WITHIN.noiseMs);
  expect(first).toBeLessThan(WITHIN.firstPageMs + WITHIN.noiseMs);

  const byDelivery = new Map<string, Meta[]>();
  for (const { delivery, meta } of sink.pages)
    byDelivery.set(delivery, [...(byDelivery.get(delivery) ?? []), meta]);
  expect(byDelivery.size).toBe(Math.ceil(RECORDS / MAX_IN_WINDOW));
  for (const metas of byDelivery.values()) {
    const sent = metas.reduce((sum, { page_count }) => sum + page_count, 0);
    expect(
      metas.every(
        ({ total_count, total_pages }) => [total_count, total_pages].join() === `${sent},${metas.length}`,
      ),
    ).toBe(true);
    expect(metas.map(({ current_page }) => current_page)).toEqual(metas.map((_, index) => index + 1));
  }
  const runs = await recordedRuns(feed.client, 'WorkflowType != "temporal-sys-scheduler-workflow"');
  const longest = runs.map(longestActivity).reduce((most, one) => Math.max(most, one), 0);
  console.log(
    `longest activity ${longest} ms, longest history ${Math.max(...runs.map(({ events }) => events.length))} events`,
  );
  expect(longest).toBeLessThan(70_000);
}, 1_800_000);

function longestActivity(run: Parameters<typeof eventsOf>[0]): number {
  const started = new Map(
    eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_STARTED').map((event) => [String(event.eventId), event]),
  );
  return eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED').reduce((most, event) => {
    const start = started.get(String(event.activityTaskCompletedEventAttributes!.startedEventId));
    return Math.max(most, (Number(event.eventTime!.seconds) - Number(start!.eventTime!.seconds)) * 1_000);
  }, 0);
}
