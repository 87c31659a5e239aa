import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payload = temporal.api.common.v1.IPayload;

const { EventType } = temporal.api.enums.v1;
type EventName = keyof typeof EventType;

/** One run of a workflow, as Temporal has recorded it. */
export interface RecordedRun {
  workflowId: string;
  runId: string;
  type: string;
  status: string;
  events: Event[];
}

/** Every run that the visibility query finds, oldest first; the latest ones may be missing. */
export async function recordedRuns(client: Client, query: string): Promise<RecordedRun[]> {
  const runs: (RecordedRun & { startTime: Date })[] = [];
  for await (const { workflowId, runId, type, status, startTime } of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    runs.push({ workflowId, runId, type, status: status.name, events: events ?? [], startTime });
  }
  return runs.sort((one, other) => one.startTime.getTime() - other.startTime.getTime());
}

/** The latest run and those that it has gone on from, oldest first; visibility lags behind, and is not asked. */
export async function runsOf(client: Client, workflowId: string): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  for (let before: string | null | undefined; before !== '';) {
    const { runId, type, status } = await client.workflow
      .getHandle(workflowId, before ?? undefined)
      .describe();
    const { events = [] } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    runs.unshift({ workflowId, runId, type, status: status.name, events: events ?? [] });
    before = events![0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  }
  return runs;
}

export const isEvent = (event: Event, name: EventName) => event.eventType === EventType[name];

export const eventsOf = (run: { events: Event[] }, name: EventName) =>
  run.events.filter((event) => isEvent(event, name));

/** The summary that the Temporal UI shows at a timer or an activity. */
export const summaryOf = (event: Event | undefined) => decode<string>(event?.userMetadata?.summary);

/** What the run was started with. */
export function inputOf<T>({ events }: RecordedRun): T {
  return decode<T>(events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]) as T;
}

export function decode<T>(payload: Payload | null | undefined): T | undefined {
  return payload ? defaultPayloadConverter.fromPayload<T>(payload) : undefined;
}

/** What the running workflow shows of itself in the Temporal UI. */
export async function currentDetails(client: Client, workflowId: string): Promise<string> {
  const shown = await client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return shown.currentDetails ?? '';
}
