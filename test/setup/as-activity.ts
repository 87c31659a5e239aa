import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

// Activities that fail on purpose are no news.
const QUIET = { logger: new DefaultLogger('ERROR', () => {}) };

/** Runs it as Temporal's worker does, of a workflow of this id. */
export function asActivity<In, Out>(
  workflowId: string,
  activity: (input: In) => Promise<Out>,
  input: In,
): Promise<Out> {
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId, runId: 'test' } },
    QUIET,
  );
  return environment.run<[In], Out, typeof activity>(activity, input);
}
