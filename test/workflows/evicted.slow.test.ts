import { Worker } from '@temporalio/worker';
import { nextDue } from '../../domain/deliveries/cadence';
import { channelWorkflowId } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { isEvent, runsOf } from './read-history';
import { TestFeed } from './test-feed';

const CHANNELS = ['evicted-1', 'evicted-2', 'evicted-3'];
const CADENCE_MS = 2_000;

let feed: TestFeed;
beforeAll(async () => {
  const { create } = Worker;
  const small = jest.spyOn(Worker, 'create');
  // Each workflow puts the one before it out of memory, also while that waits in a condition with a time limit.
  small.mockImplementation((options) => create.call(Worker, { ...options, maxCachedWorkflows: 1 }));
  feed = await TestFeed.start();
  small.mockRestore();
});

/** Of each time that a channel has waited for: when it was due by its grid, and when it was woken, both after the waiting began. */
async function wokenOf(slug: string) {
  const woken: { dueMs: number; gridMs: number; firedMs: number }[] = [];
  for (const { events } of await runsOf(feed.client, channelWorkflowId(slug))) {
    const msOf = (event?: (typeof events)[number]) =>
      Number(event?.eventTime?.seconds) * 1_000 + Number(event?.eventTime?.nanos) / 1e6;
    for (const [index, { timerFiredEventAttributes: fired }] of events.entries()) {
      if (!fired) continue;
      const at = events.findIndex(({ eventId }) => String(eventId) === String(fired.startedEventId));
      const { startToFireTimeout: set } = events[at]!.timerStartedEventAttributes!;
      const before = events.slice(0, at);
      const began = msOf(before.findLast((event) => isEvent(event, 'EVENT_TYPE_WORKFLOW_TASK_STARTED')));
      const dueMs = Number(set?.seconds) * 1_000 + Number(set?.nanos) / 1e6;
      const gridMs = nextDue(slug, CADENCE_MS, began) - began;
      woken.push({ dueMs, gridMs, firedMs: msOf(events[index]) - began });
    }
  }
  return woken;
}

test('a channel that is put out of memory while it waits is woken when it is due', async () => {
  const settings = { cadence_ms: CADENCE_MS, entity_types: ['accounts'] as ['accounts'] };
  for (const slug of CHANNELS) {
    await feed.addChannel(slug, settings);
    await feed.deliverNow(slug);
  }
  for (const slug of CHANNELS) {
    const woken = await eventually(async () => {
      const woken = await wokenOf(slug);
      expect(woken.length).toBeGreaterThan(1);
      return woken;
    });
    for (const { dueMs, gridMs, firedMs } of woken) {
      expect(Math.abs(dueMs - gridMs)).toBeLessThan(5);
      expect(firedMs).toBeGreaterThan(dueMs - 5);
      expect(firedMs).toBeLessThan(dueMs + CADENCE_MS);
    }
  }
});
