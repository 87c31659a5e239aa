import { existsSync } from 'node:fs';
import path from 'node:path';
import { localDir } from '../../../tools/local/checkout';
import { startNode } from '../../setup/processes';

// The demo as `npm run demo` runs it, on the parts of the global setup: MONGODB_URI and TEMPORAL_ADDRESS are set.
test('the demo tells its story, every number is right, and nothing stays behind', async () => {
  const demo = startNode(['dist/tools/demo/main.js', '--json'], process.env);
  const exitCode = await demo.ended;
  const lines = [...demo.lines];
  const story = lines.join('\n');
  const closing = lines.pop() as string;
  if (exitCode !== 0) console.log(lines.slice(-30).join('\n')); // a CI cuts a long one in the middle

  expect(exitCode).toBe(0);
  const { checks, ...numbers } = JSON.parse(closing) as { checks: { what: string; got: unknown }[] };
  expect(numbers).toMatchObject({
    ok: true,
    wrong: [],
    entity_types: {
      accounts: { acknowledged: 121, delivered: 121, repeated: 0, missing: 0 },
      contracts: { acknowledged: 241, delivered: 241, repeated: 0, missing: 0 },
      tickets: { acknowledged: 2_505, delivered: 2_505, repeated: 1_865, missing: 0 },
      settlements: { acknowledged: 126, delivered: 126, repeated: 0, missing: 0 },
    },
  });
  expect(checks).toHaveLength(23);
  expect(Object.fromEntries(checks.map(({ what, got }) => [what, got]))).toMatchObject({
    'requests though nothing had changed': 0,
    'changed records that came': 3,
    'what the reset brought': { records: 1_865, pages: 2 },
    'stored elevators': 4,
    signatures: { verified: 14, wrong: 0 },
    'verdict by docs/contract.md': true,
  });
  expect(story).toContain('2,989 records in 3 requests');
  expect(story).toContain('1,000 records pushed, 3 delivered');
  expect(lines.filter((line) => /^\d {2}/.test(line))).toHaveLength(9);
  expect(lines.filter((line) => line.length > 100 && !line.includes('http'))).toEqual([]);
  expect(story).toContain('Acme Crop Insurance refused the connection, next try');
  expect(story).not.toContain('\u001b'); // no colours where nobody sees them
  expect(existsSync(path.join(localDir, 'demo', `${demo.child.pid}`))).toBe(false);
});
