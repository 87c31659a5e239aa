import { MockActivityEnvironment } from '@temporalio/testing';
import { setTimeout } from 'node:timers/promises';
import { withHeartbeat } from '../../activities/with-heartbeat';

test('a long step heartbeats all the while, with what was shown last, and not after its end', async () => {
  const environment = new MockActivityEnvironment();
  const beats: unknown[] = [];
  environment.on('heartbeat', (details) => beats.push(details));
  const work = withHeartbeat.bind(undefined, async (show) => {
    show('page 1');
    show('page 2');
    await setTimeout(5_000);
  });
  await environment.run(work);
  const during = beats.length;
  expect(during).toBeGreaterThanOrEqual(2);
  expect(new Set(beats)).toEqual(new Set(['page 2']));
  await setTimeout(2_500);
  expect(beats).toHaveLength(during);
});
