import { setTimeout } from 'node:timers/promises';
import { findChannel, pauseChannel } from '../../store/channels';
import { readCeiling } from '../../store/counters';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { nextDue } from '../../domain/cadence';
import { formatInstant } from '../../domain/instants';
import { type ChannelFeedInput, markerReset, settingsChanged } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { currentDetails, eventsOf, inputOf, isEvent, runsOf } from './read-history';
import { TestFeed } from './test-feed';

const DAY_MS = 24 * 3_600_000;

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

test('200 resets at any moment, across many runs of the loop: after each the records go out again', async () => {
  const slug = 'two-hundred';
  const customer = await feed.addChannel(slug);
  await feed.push(slug, ['accounts'], 3);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'accounts', 1);
  const ceiling = await readCeiling(feed.store, 'accounts');
  const channel = (await findChannel(feed.store, slug))!;
  const since = new Date('2026-01-01T00:00:00Z');
  for (let resets = 0; resets < 200; resets += 5) {
    // some one by one, some while a run is being planned, delivered or closed
    await Promise.all(
      [0, 0, 20, 40, 90].map(async (delay) => {
        await setTimeout(delay * Math.random());
        await resetChannelMarker(feed.store, channel, 'accounts', since, { dryRun: false });
        const timestamp = since.toISOString();
        await feed.ring(slug, markerReset, { entity_type: 'accounts', timestamp, request_id: 'test' });
      }),
    );
    // Only a delivery planned after the last of the resets can move the marker again (commit-order 3).
    const marker = await eventually(async () => {
      const now = await feed.marker(slug, 'accounts');
      expect(now.position).toBe(ceiling);
      return now;
    });
    expect(marker.generation).toBe(resets + 5);
  }
  expect(customer.confirmed().length).toBeGreaterThan(40);
  const runs = await runsOf(feed.client, `channel/${slug}`);
  expect(runs.length).toBeGreaterThan(3);
  expect(runs.flatMap((run) => eventsOf(run, 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED')).length).toBe(201);
}, 300_000);

test('what an operator sees of a waiting channel is there in the next run of the loop as well', async () => {
  const slug = 'shown';
  await feed.addChannel(slug);
  await pauseChannel(feed.store, slug, 'their new system');
  await feed.ring(slug, settingsChanged, { reason: 'paused' });
  const { runId } = await feed.handle(slug).describe();
  await eventually(async () => {
    await feed.ring(slug, settingsChanged, { reason: 'again' });
    expect((await feed.handle(slug).describe()).runId).not.toBe(runId);
  });
  const details = await currentDetails(feed.client, `channel/${slug}`);
  expect(details).toContain('paused (their new system)');
  expect(details).toContain('| accounts | nothing yet | never | - |');
  expect(await feed.handle(slug).query('status')).toMatchObject({ state: 'paused' });
});

test('a bell not yet answered, the due time and the last outcomes go along; no wake finds a long history', async () => {
  const slug = 'carried';
  const dueNow = () => formatInstant(nextDue(slug, DAY_MS, Date.now()));
  const dues = [dueNow()];
  let pages = 0;
  // Every page brings the next change and rings for it, so that every run ends with an unanswered bell.
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, async () => {
    if (++pages > 12) return 200;
    await feed.push(slug, ['accounts'], 1, pages + 1);
    await feed.ring(slug, settingsChanged, { reason: 'test' });
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
    const { due, wake, last, health } = inputOf<ChannelFeedInput>(run);
    expect(dues).toContain(due);
    expect([wake, health]).toEqual(['settings', 'healthy']);
    expect(last?.accounts).toMatchObject({ failed: false, text: expect.stringMatching(/^1 record by /) });
    // answered at once: no timer before the first plan
    const [first] = run.events.filter((event) => isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'));
    const [timer] = eventsOf(run, 'EVENT_TYPE_TIMER_STARTED');
    expect(Number(timer?.eventId ?? Infinity)).toBeGreaterThan(Number(first!.eventId));
  }
  for (const run of runs) expect(run.events.length).toBeLessThan(200);
});
