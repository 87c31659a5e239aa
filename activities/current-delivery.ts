import { Context } from '@temporalio/activity';

/** The delivery that the running activity belongs to: its workflow's id is the delivery's id. */
export function currentDelivery(): { delivery: string; runId: string } {
  const execution = Context.current().info.workflowExecution;
  if (!execution) throw new Error('this activity runs only in a delivery');
  return { delivery: execution.workflowId, runId: execution.runId };
}
