import type { Client } from '@temporalio/client';

type Event = Record<string, unknown> & { eventType?: unknown };

/** One run of a workflow, as the server keeps it. */
export interface History {
  events: Event[];
  /** Bytes of the largest payload anywhere in it. */
  largestPayload: number;
}

export async function readBenchHistory(client: Client, workflowId: string, runId?: string): Promise<History> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const list = (events ?? []) as unknown as Event[];
  return { events: list, largestPayload: largestPayload(list) };
}

/** A payload is whatever has metadata and data, wherever it stands: arguments, results, summaries, memo. */
function largestPayload(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0;
  const { metadata, data } = value as { metadata?: unknown; data?: unknown };
  if (metadata && data instanceof Uint8Array) return data.length;
  return Math.max(0, ...Object.values(value).map(largestPayload));
}

/** The events from each firing of a timer to the next: one cycle each, the last one left out. */
export function cyclesOf({ events }: History): number[] {
  const fired = events.flatMap((event, index) => (event['timerFiredEventAttributes'] ? [index] : []));
  return fired.slice(1).map((index, nth) => index - fired[nth]!);
}
