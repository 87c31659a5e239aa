import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../../tools/local/checkout';
import { temporaryFolder } from '../../setup/temporary-folder';
import { corruptedHistories } from './corrupted-histories';
import { honestHistory, type Event } from './honest-history';

const folder = temporaryFolder('histories');

/** One start of Python for all histories. @returns what it says of each */
function judge(histories: readonly (readonly (Event | string)[])[], ...options: string[]) {
  const files = histories.map((events, index) => {
    const file = path.join(folder, `${index}.ndjson`);
    const lines = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    writeFileSync(file, lines.join('\n'));
    return file;
  });
  const program = path.join(checkout, 'tools', 'judge', 'judge.py');
  const { status, stdout, stderr } = spawnSync('python3', [program, ...options, ...files], {
    encoding: 'utf8',
  });
  return { status, stderr, lines: stdout.trim().split('\n') };
}

const honest = Object.values(honestHistory);

test('the honest history is accepted, each that breaks one promise rejected by its id, and what is no history not judged', () => {
  const corrupted = corruptedHistories.map(({ instead }) =>
    Object.values({ ...honestHistory, ...instead }).filter((event) => event !== undefined),
  );
  const noEvent = [...honest.slice(0, 3), '{ "event": "page" }'];
  const brokenOff = honest.slice(0, -1);
  const { status, stderr, lines } = judge([noEvent, brokenOff, honest, ...corrupted], '--json');
  const verdicts = lines.map((line) => (JSON.parse(line) as { broken: string[] }).broken);
  expect(verdicts[0]).toEqual([]);
  expect(verdicts.slice(1).map((broken, index) => [corruptedHistories[index]?.title, broken])).toEqual(
    corruptedHistories.map(({ title, promise }) => [title, [promise]]),
  );
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/0.ndjson:4: .*\n.*1.ndjson: breaks off/),
  });
});
