import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkout, localDir } from '../../deploy/local/checkout';

let running: ChildProcess | undefined;
afterAll(() => running?.kill());

// The demo as `npm run demo` runs it, on the parts of the global setup: MONGODB_URI and TEMPORAL_ADDRESS are set.
test('the demo tells its story, every number is right, and nothing stays behind', async () => {
  const demo = (running = spawn(process.execPath, [path.join(checkout, 'dist/demo/main.js'), '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }));
  let story = '';
  demo.stdout.on('data', (chunk: Buffer) => (story += chunk.toString()));
  const [exitCode] = (await once(demo, 'close')) as [number];
  const lines = story.trim().split('\n');
  const closing = lines.pop() as string;
  if (exitCode !== 0) console.log(story);

  expect(exitCode).toBe(0);
  expect(JSON.parse(closing)).toMatchObject({
    ok: true,
    wrong: [],
    pushed: { requests: 3, records: 2_989 },
    quiet: { runs: 2, requests: 0 },
    changes: { pushed: 1_000, changed: 3, received: 3 },
    outage: { received: 1 },
    reset: { promised: { records: 1_865, pages: 2 }, received: { records: 1_865, pages: 2 } },
    elevators: { acknowledged: 4, stored: 4 },
    sharing: {
      page: { offered: 2, ticked: 0 },
      later: { pushed: 2, received: 1 },
      after_revoke: { pushed: 2, received: 0 },
      strangers: 0,
      differing: 0,
    },
    signatures: { verified: 14, wrong: 0, pages: 14 },
    entity_types: {
      accounts: { acknowledged: 121, delivered: 121, repeated: 0, missing: 0 },
      contracts: { acknowledged: 241, delivered: 241, repeated: 0, missing: 0 },
      tickets: { acknowledged: 2_505, delivered: 2_505, repeated: 1_865, missing: 0 },
      settlements: { acknowledged: 126, delivered: 126, repeated: 0, missing: 0 },
    },
  });
  expect(lines.filter((line) => /^\d {2}/.test(line))).toHaveLength(9);
  expect(lines.filter((line) => line.length > 100 && !line.includes('http'))).toEqual([]);
  expect(story).toContain('Acme Crop Insurance refused the connection, next try');
  expect(story).not.toContain('\u001b'); // no colours where nobody sees them
  expect(existsSync(path.join(localDir, 'demo', `${demo.pid}`))).toBe(false);
});
