import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { readHistory } from '../replay/replay';
import { addTestChannel } from '../setup/add-test-channel';
import { databaseUriOf, emptyStore } from '../setup/open-store';
import { temporaryFolder } from '../setup/temporary-folder';
import { codeOf, readDocs } from './read-docs';

// The commands of docs/debugging.md, as they stand there. No debugger attaches, so none may wait for one.

const commands = codeOf(readDocs().find(({ file }) => file === 'docs/debugging.md')!);

/** Runs the page's command of this form. */
function run(form: RegExp, { uri, history = '' }: { uri?: string; history?: string } = {}) {
  const command = commands.find((line) => form.test(line));
  if (!command) throw new Error(`docs/debugging.md has no command such as ${form}`);
  const here = command.replace('--inspect-brk', '--inspect=0').replace('history.json', history);
  const ran = spawnSync('bash', ['-c', here], {
    cwd: checkout,
    env: { ...process.env, ...(uri && { MONGODB_URI: uri }) },
    encoding: 'utf8',
  });
  return { status: ran.status, said: ran.stdout + ran.stderr };
}

test('one test runs under the inspector', () => {
  const { status, said } = run(/^node --inspect-brk node_modules.jest/);
  expect(said).toMatch(/Debugger listening on ws:/);
  expect(said).toMatch(/Tests: +\d+ passed/);
  expect(status).toBe(0);
});

test.each([/^npx tsx /, /^TEMPORAL_DEBUG=1 /])(
  '%s: a history replays, and a changed one does not',
  (form) => {
    const history = readHistory('feedDelivery.delivered');
    expect(run(form, { history: written(history) })).toMatchObject({ status: 0 });
    const [first] = history.events.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    first!.activityType.name = 'somethingElse';
    const { status, said } = run(form, { history: written(history) });
    expect(said).toContain("'somethingElse' does not match");
    expect(status).toBe(1);
  },
);

function written(history: object): string {
  const file = path.join(temporaryFolder('debugging'), 'history.json');
  writeFileSync(file, JSON.stringify(history));
  return file;
}

test("a test's database is listed, shown by gdx, and read", async () => {
  const store = await emptyStore();
  await addTestChannel(store, 'acme', 'http://127.0.0.1:9');
  const uri = databaseUriOf(store);
  const server = uri.slice(0, uri.lastIndexOf('/'));
  expect(run(/^node .*listDatabases/, { uri: server }).said).toContain(store.db.databaseName);
  expect(run(/gdx -- channel list$/, { uri }).said).toMatch(/^acme .* active/m);
  expect(run(/^node .*findOne/, { uri }).said).toContain("_id: 'acme'");
});
