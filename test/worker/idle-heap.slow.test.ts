import { awaitTool } from '../setup/run-tool';
import { WORKER_NODE_OPTIONS } from '../setup/worker-node-options';

test('while pages are delivered, all of a worker’s heap is searched for garbage far less often than while it waits', async () => {
  const options = [...WORKER_NODE_OPTIONS.split(' '), '--expose-gc', '--import', 'tsx'];
  const command = [process.execPath, ...options, 'test/worker/collections-process.ts'] as const;
  const counted = await awaitTool([...command], { install: 'it comes with Node.js' });
  const { idle, delivering } = JSON.parse(counted) as Record<string, number>;
  expect(idle).toBeGreaterThan(5);
  expect(delivering).toBeLessThan(idle! / 2);
});
