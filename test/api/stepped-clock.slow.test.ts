import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { newDatabaseUri } from '../setup/open-store';
import { startService } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';

const SHIFT_CLOCK = path.join(__dirname, '../faults/shift-clock.mjs');
const HOURS = 3_600_000;
const VISITS = 1_200;

test('a process whose clock is set back by two hours limits an address for a minute, and not for two hours', async () => {
  const clock = path.join(temporaryFolder('clock'), 'clock');
  writeFileSync(clock, String(2 * HOURS));
  const { url, end, lines } = await startService('api', {
    MONGODB_URI: newDatabaseUri(),
    NODE_OPTIONS: `--import ${SHIFT_CLOCK}`,
    GDX_TEST_CLOCK: clock,
  });
  const visit = () => fetch(`${url}/subscriptions/phone`, { redirect: 'manual' });
  expect((await visit()).status).not.toBe(429);
  writeFileSync(clock, '0');
  let refused: Response | undefined;
  for (let visits = 0; visits < 2 * VISITS && !refused; visits++) {
    const answer = await visit();
    await answer.arrayBuffer();
    if (answer.status === 429) refused = answer;
  }
  expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  const times = lines.flatMap((line) =>
    line.startsWith('{') ? [new Date(JSON.parse(line).time).getTime()] : [],
  );
  expect(times[0]! - times.at(-1)!).toBeGreaterThan(HOURS); // it was set back indeed
  await end();
}, 120_000);
