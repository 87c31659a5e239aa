import type { Command } from 'commander';
import { existsSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { createConnections } from '../../cli/connections';
import { createProgram } from '../../cli/create-program';
import { slowTest } from '../setup/cases';
import '../setup/fake-customer'; // its check after each test is registered before the first one runs
import { openCliScene, type CliScene } from './open-cli-scene';
import type { CommandCase } from './command-cases/command-case';

const CASES = path.join(__dirname, 'command-cases');
const nobody = () => Promise.reject(new Error('no command is run here'));

/** The words of every command, as in `channel add`. */
function commandsOf(command: Command, words: string[] = []): string[][] {
  const below = command.commands.filter((child) => child.name() !== 'help');
  // `subscriptions` is a command, and the group of `subscriptions revoke`.
  const own = below.length === 0 || command.registeredArguments.length > 0 ? [words] : [];
  return [...own, ...below.flatMap((child) => commandsOf(child, [...words, child.name()]))];
}

const program = createProgram(createConnections(nobody, nobody), nobody);
const commands = commandsOf(program);
const commandAt = (words: string[]) =>
  words.reduce<Command>((command, word) => command.commands.find((one) => one.name() === word)!, program);
const fileOf = (words: string[]) => path.join(CASES, `${words.join('-')}.ts`);

let scene: CliScene;
beforeAll(async () => {
  scene = await openCliScene();
});
afterAll(() => scene.close());

test('every command has its case (test/cli/README.md), and every case its command', () => {
  const cases = readdirSync(CASES).filter((file) => file !== 'command-case.ts');
  expect(cases.sort()).toEqual(commands.map((words) => path.basename(fileOf(words))).sort());
});

test('every command has --json and says what it does', () => {
  for (const words of commands) {
    const command = commandAt(words);
    expect([words, command.options.map(({ long }) => long)]).toEqual([
      words,
      expect.arrayContaining(['--json']),
    ]);
    expect([words, command.description()]).toEqual([words, expect.stringMatching(/.{10}/)]);
  }
});

describe.each(
  commands.filter((words) => existsSync(fileOf(words))).map((words) => [words.join(' '), words] as const),
)('gdx %s', (_, words) => {
  let commandCase: CommandCase;
  beforeAll(async () => {
    ({ commandCase } = (await import(fileOf(words))) as { commandCase: CommandCase });
  });

  afterAll(() => commandCase.close?.());

  const changes = commandAt(words).options.some(({ long }) => long === '--reason');

  const run = async (own: string[] | undefined, ...more: string[]) =>
    scene.gdx([...words, ...(own ?? (await commandCase.prepare?.(scene)) ?? []), ...more]);

  test('table', async () => {
    const { table } = commandCase;
    const args = table.args ?? (await commandCase.prepare?.(scene)) ?? [];
    const before = await scene.fingerprint();
    const reason = `for ${words.join(' ')}`;
    const { exitCode, stdout, stderr } = await run([...args, ...(changes ? ['--reason', reason] : [])]);
    expect([exitCode, stdout, stderr]).toEqual([
      table.exitCode ?? 0,
      expect.stringMatching(table.says),
      expect.any(String),
    ]);
    // What reads changes nothing; what changes something has recorded who, why, what was there before and what came of it.
    if (!changes) return expect(await scene.fingerprint()).toBe(before);
    expect(await scene.recorded(reason)).toMatchObject([
      { by: userInfo().username, via: 'gdx', before: {}, outcome: expect.any(String), ...table.recorded },
    ]);
  });

  // what programs read, and errors: of a few commands here (gdx.test.ts, gdx-errors.test.ts), of each in the slow suite
  slowTest('--json', async () => {
    const { json } = commandCase;
    const answer = await run(json.args, '--json');
    expect([answer.exitCode, answer.stderr]).toEqual([json.exitCode ?? 0, expect.any(String)]);
    expect(answer.json()).toMatchObject(json.holds);
  });

  slowTest('error', async () => {
    const { error } = commandCase;
    const answer = await run(error.args);
    expect([answer.exitCode, answer.stdout]).toEqual([error.exitCode, '']);
    expect(answer.stderr).toMatch(/^gdx: [^\n]+; [^\n]+\n$/);
    expect(answer.stderr).toMatch(error.says);
  });
});
