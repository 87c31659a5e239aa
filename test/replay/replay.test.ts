import { DeterminismViolationError } from '@temporalio/workflow';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HISTORIES, HISTORY_NAMES } from './histories';
import { type EventJson, type HistoryJson, readHistory, replay } from './replay';

// A channel's workflow runs for years: what it did under an earlier build, today's build must do again (docs/contract.md O13).

const kept = () => readdirSync(HISTORIES).map((file) => path.parse(file).name);

test('every workflow and every outcome has its recorded history, and there is no other', () => {
  expect(kept().sort()).toEqual([...HISTORY_NAMES].sort());
});

test('every recorded history replays on the current bundle', async () => {
  const histories = kept().map((name) => ({ workflowId: name, history: readHistory(name) }));
  expect(histories.length).toBeGreaterThan(0);
  const results = await replay(histories);
  expect([...results].filter(([, error]) => error)).toEqual([]);
  expect(results.size).toBe(histories.length);
});

test.each(['channelFeed.deliveries', 'feedDelivery.delivered', 'reconcileChannels'] as const)(
  'a tampered %s does not replay',
  async (name) => {
    const history = readHistory(name);
    const [scheduled] = history.events.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    scheduled!.activityType.name = 'somethingElse';
    const results = await replay([{ workflowId: name, history }]);
    expect(results.get(name)).toBeInstanceOf(DeterminismViolationError);
  },
);

test.each(HISTORY_NAMES)('%s does not tell who recorded it, or where', (name) => {
  const text = readFileSync(path.join(HISTORIES, `${name}.json`), 'utf8');
  expect(/"[^"]*(\/(home|work|root|tmp|Users)\/|\d+@)[^"]*"/.exec(text)?.[0]).toBeUndefined();
});

const TASK = /^EVENT_TYPE_WORKFLOW_TASK_(SCHEDULED|STARTED|COMPLETED)$/;

test('a delivery whose start and whose stall are heard of together does not hold up the next entity type', async () => {
  const history = readHistory('channelFeed.stalled');
  const workflowId = 'channel/acme';
  const results = await replay([{ workflowId, history: withoutTaskBefore(history) }]);
  expect(results.get(workflowId)).toBeUndefined();
});

/** As recorded, a workflow task lies between the child's start and its signal; a busy worker hears of both in one. */
function withoutTaskBefore({ events }: HistoryJson): HistoryJson {
  const stall = events.findIndex(
    (event, index) => event.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED' && index > 2,
  );
  const between = events.slice(stall - 4, stall);
  expect(between.map(({ eventType }) => eventType.replace('EVENT_TYPE_', ''))).toEqual([
    'CHILD_WORKFLOW_EXECUTION_STARTED',
    'WORKFLOW_TASK_SCHEDULED',
    'WORKFLOW_TASK_STARTED',
    'WORKFLOW_TASK_COMPLETED',
  ]);
  return {
    events: renumber(events.filter((event) => !(TASK.test(event.eventType) && between.includes(event)))),
  };
}

/** Counts the events from 1 again, wherever one names another. */
function renumber(events: EventJson[]): EventJson[] {
  const numbers = new Map(events.map(({ eventId }, index) => [eventId, String(index + 1)]));
  return JSON.parse(JSON.stringify(events), (key, value: unknown) =>
    /EventId$|^eventId$/.test(key) ? (numbers.get(value as string) ?? value) : value,
  ) as EventJson[];
}
