import { type EventJson, type HistoryJson, readHistory, replay } from './replay';

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
