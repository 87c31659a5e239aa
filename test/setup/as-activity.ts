import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { noopMetricMeter } from '@temporalio/common';

const silent = () => {};
// Activities that fail on purpose are no news.
const QUIET = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/**
 * Runs it as Temporal's worker does, of a workflow of this id. `MockActivityEnvironment` does the same, and costs a test
 * file the 600 modules of a worker.
 */
export function asActivity<In, Out>(
  workflowId: string,
  activity: (input: In) => Promise<Out>,
  input: In,
  heartbeat: (details: unknown) => void = silent,
): Promise<Out> {
  const info = { workflowExecution: { workflowId, runId: 'test' } } as Info; // activities ask for nothing else
  const cancelled = new Promise<never>(() => {});
  const { signal } = new AbortController();
  const context = new Context(info, cancelled, signal, heartbeat, undefined, QUIET, noopMetricMeter, {});
  return asyncLocalStorage.run(context, () => activity(input));
}
