import { Worker } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { quietRuntime } from '../setup/quiet-runtime';
import { HISTORIES } from './histories';

const BUNDLE = path.join(checkout, 'dist/worker/workflows.bundle.js');

/** A history as JSON, as far as these tests change it. */
export interface HistoryJson {
  events: EventJson[];
}

interface EventJson {
  eventId: string;
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
}

export function readHistory(name: string): HistoryJson {
  return JSON.parse(readFileSync(path.join(HISTORIES, `${name}.json`), 'utf8')) as HistoryJson;
}

/** Replays on the current bundle. @returns what each came to, by workflow id: undefined when it fits */
export async function replay(
  histories: { workflowId: string; history: HistoryJson }[],
): Promise<Map<string, Error | undefined>> {
  quietRuntime();
  const results = new Map<string, Error | undefined>();
  const options = { workflowBundle: { codePath: BUNDLE } };
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    results.set(workflowId, error);
  }
  return results;
}
