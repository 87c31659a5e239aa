import { withHeartbeat } from '../../activities/with-heartbeat';
import { asActivity } from '../setup/as-activity';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a long step heartbeats all the while, with what was shown last, and not after its end', async () => {
  const beats: unknown[] = [];
  let end = () => {};
  const step = () =>
    withHeartbeat(async (show) => {
      show('page 1');
      show('page 2');
      await new Promise<void>((resolve) => (end = resolve));
    });
  const running = asActivity('test', step, undefined, (details) => beats.push(details));
  jest.advanceTimersByTime(3_000);
  expect(beats).toEqual(['page 2', 'page 2', 'page 2']);
  end();
  await running;
  jest.advanceTimersByTime(3_000);
  expect(beats).toHaveLength(3);
});
