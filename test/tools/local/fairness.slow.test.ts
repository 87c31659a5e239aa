import { randomUUID } from 'node:crypto';
import { lazyClient } from '../../../temporal/connect-temporal';

const BACKLOG = 80;
const SHORT = 8;
const POLL_MS = 60_000;

/** What waits in a task queue, in the order in which the server hands it out: nobody works on it but this test. */
test('the local server lets the channels of a task queue take turns, however long the backlog of one is', async () => {
  const namespace = process.env.TEMPORAL_NAMESPACE!;
  const client = lazyClient({ env: process.env, address: process.env.TEMPORAL_ADDRESS!, namespace });
  const taskQueue = `fair-${randomUUID().slice(0, 8)}`;
  const start = (channel: string) => {
    const priority = { fairnessKey: channel };
    const options = { taskQueue, workflowId: `${taskQueue}/${channel}/${randomUUID()}`, priority };
    return client.workflow.start('nobody-runs-it', options);
  };
  const waiting = [];
  for (let count = 0; count < BACKLOG; count++) waiting.push(await start('long'));
  for (let count = 0; count < SHORT; count++) waiting.push(await start('short'));

  const turns: number[] = [];
  for (let served = 1; turns.length < SHORT; served++) {
    const { workflowExecution } = await client.withDeadline(Date.now() + POLL_MS, () =>
      client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
    );
    if (workflowExecution?.workflowId?.includes('/short/')) turns.push(served);
  }
  // Not each of them: a queue has partitions that are served at random, and turns are taken within one. In the order of
  // arrival the second of them comes 40th at the earliest.
  expect(turns[1]).toBeLessThan(BACKLOG / 3);
  for (const handle of waiting) await handle.terminate();
  await client.connection.close();
});
