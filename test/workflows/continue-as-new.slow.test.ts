import { setTimeout } from 'node:timers/promises';
import { pauseChannel } from '../../store/channels/channels';
import { readCeiling } from '../../store/records/counters';
import { nextDue } from '../../domain/deliveries/cadence';
import { formatInstant } from '../../domain/time/instants';
import { type ChannelFeedInput, settingsChangedSignal } from '../../workflows/messages';
import { cases, nightlyTest, scaledTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { currentDetails, eventsOf, inputOf, isEvent, runsOf } from './read-history';
import { TestFeed } from './test-feed';

const DAY_MS = 24 * 3_600_000;

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const RESETS = cases(10, 200);

scaledTest(
  `${RESETS} resets at any moment, across many runs of the loop: after each the records go out again`,
  async () => {
    const slug = 'resets';
    const customer = await feed.addChannel(slug);
    await feed.push(slug, ['accounts'], 3);
    await feed.deliverNow(slug);
    await feed.closed(slug, 'accounts', 1);
    const ceiling = await readCeiling(feed.store, 'accounts');
    for (let resets = 0; resets < RESETS; resets += 5) {
      // some one by one, some while a run is being planned, delivered or closed
      await Promise.all(
        [0, 0, 10, 20, 45].map(async (delay) => {
          await setTimeout(delay);
          await feed.reset(slug, 'accounts');
        }),
      );
      // Only a delivery planned after the last of the resets can move the marker again (docs/architecture.md#commit-order, rule 3).
      const marker = await eventually(async () => {
        const now = await feed.marker(slug, 'accounts');
        expect(now.position).toBe(ceiling);
        return now;
      });
      expect(marker.generation).toBe(resets + 5);
    }
    expect(customer.confirmed().length).toBeGreaterThan(RESETS / 5);
    const runs = await runsOf(feed.client, `channel/${slug}`);
    expect(runs.length).toBeGreaterThan(RESETS / 60);
    const signals = runs.flatMap((run) => eventsOf(run, 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED'));
    expect(signals.length).toBe(RESETS + 1);
  },
  300_000,
);

nightlyTest(
  'what an operator sees of a waiting channel is there in the next run of the loop as well',
  async () => {
    const slug = 'shown';
    await feed.addChannel(slug);
    await pauseChannel(feed.store, slug, 'their new system');
    await feed.signal(slug, settingsChangedSignal, { reason: 'paused' });
    const { runId } = await feed.handle(slug).describe();
    await eventually(async () => {
      await feed.signal(slug, settingsChangedSignal, { reason: 'again' });
      expect((await feed.handle(slug).describe()).runId).not.toBe(runId);
    });
    const details = await currentDetails(feed.client, `channel/${slug}`);
    expect(details).toContain('paused (their new system)');
    expect(details).toContain('| accounts | paused | nothing yet | never | - |');
    expect(await feed.handle(slug).query('status')).toMatchObject({ state: 'paused' });
  },
);

test('a signal not yet answered, the due time and the last outcomes go along; no signal finds a long history', async () => {
  const slug = 'carried';
  const dueNow = () => formatInstant(nextDue(slug, DAY_MS, Date.now()));
  const dues = [dueNow()];
  let pages = 0;
  // Every page brings the next change and a signal for it, so that every run ends with a signal not yet answered.
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, async () => {
    if (++pages > 12) return 200;
    await feed.push(slug, ['accounts'], 1, pages + 1);
    await feed.signal(slug, settingsChangedSignal, { reason: 'test' });
    return 200;
  });
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'accounts', 13);
  dues.push(dueNow()); // the day may have turned
  expect(feed.held(customer, 'accounts')).toHaveLength(13);

  const runs = await runsOf(feed.client, `channel/${slug}`);
  expect(runs.length).toBeGreaterThan(1);
  expect(inputOf(runs[0]!)).toEqual({ slug });
  for (const run of runs.slice(1)) {
    const { due, lanes, health } = inputOf<ChannelFeedInput>(run);
    const { wake, last } = lanes!.find(({ entity_type }) => entity_type === 'accounts')!;
    expect(dues).toContain(due);
    expect([wake?.trigger, health]).toEqual(['settings', 'healthy']);
    expect(last).toMatchObject({ failed: false, text: expect.stringMatching(/^1 record by /) });
    // answered at once: no timer before the first plan
    const [first] = run.events.filter((event) => isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'));
    const [timer] = eventsOf(run, 'EVENT_TYPE_TIMER_STARTED');
    expect(Number(timer?.eventId ?? Infinity)).toBeGreaterThan(Number(first!.eventId));
  }
  for (const run of runs) expect(run.events.length).toBeLessThan(200);
});
