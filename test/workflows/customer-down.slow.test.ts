import { setTimeout } from 'node:timers/promises';
import { channelWorkflowId } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';
import { nightlyTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const WATCHED_MS = 3_000;

nightlyTest('deliver now is one try, and the waits go on growing', async () => {
  const customer = await feed.addChannel('down', {}, () => 503);
  await feed.push('down', ['accounts'], 1);
  await feed.deliverNow('down');
  await eventually(() => expect(customer.pages.length).toBeGreaterThanOrEqual(2));
  const before = customer.pages.length;
  await feed.deliverNow('down');
  await eventually(() => expect(customer.pages.length).toBeGreaterThanOrEqual(before + 3));
  // One of the three was asked for, one may have been due anyway; the fourth failure in a row waits for 4 s at least.
  expect(customer.pages[before + 2]!.at - customer.pages[before]!.at).toBeGreaterThanOrEqual(3_900);
});

nightlyTest('a confirmed page ends the failures in a row: the next wait is short again', async () => {
  const customer = await feed.addChannel('up-and-down', { page_size: 1 }, ({ meta }) =>
    meta.current_page === 1 && customer.pages.length > 3 ? 200 : 503,
  );
  await feed.push('up-and-down', ['accounts'], 2);
  await feed.deliverNow('up-and-down');
  const waits = await eventually(async () => {
    const [run] = await runsOf(feed.client, 'delivery/up-and-down/accounts/1');
    const timers = eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED');
    expect(timers.length).toBeGreaterThanOrEqual(4);
    return timers.map((timer) => timer.timerStartedEventAttributes?.startToFireTimeout);
  });
  expect(Number(waits[2]?.seconds)).toBeGreaterThanOrEqual(2);
  expect(Number(waits[3]?.seconds)).toBeLessThanOrEqual(1);
});

test('one deliver now is one plan', async () => {
  await feed.addChannel('idle');
  await feed.ensureRunning('idle', 24 * 3_600_000);
  await feed.deliverNow('idle');
  const plans = async () => {
    const runs = await runsOf(feed.client, channelWorkflowId('idle'));
    return runs.flatMap((run) => eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED')).length;
  };
  await eventually(async () => expect(await plans()).toBeGreaterThan(0));
  await setTimeout(WATCHED_MS);
  expect(await plans()).toBeLessThanOrEqual(2);
});
