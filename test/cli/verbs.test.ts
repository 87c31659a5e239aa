import type { Command } from 'commander';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createConnections } from '../../cli/connections';
import { createProgram } from '../../cli/create-program';
import { openScene, type Scene } from './open-scene';
import type { VerbCase } from './verb-cases/verb-case';

const CASES = path.join(__dirname, 'verb-cases');
const nobody = () => Promise.reject(new Error('no verb is run here'));

/** The words of every verb, as in `channel add`. */
function verbsOf(command: Command, words: string[] = []): string[][] {
  const below = command.commands.filter((child) => child.name() !== 'help');
  // `subscriptions` is a verb, and the group of `subscriptions revoke`.
  const own = below.length === 0 || command.registeredArguments.length > 0 ? [words] : [];
  return [...own, ...below.flatMap((child) => verbsOf(child, [...words, child.name()]))];
}

const program = createProgram(createConnections(nobody), nobody);
const verbs = verbsOf(program);
const fileOf = (words: string[]) => path.join(CASES, `${words.join('-')}.ts`);

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

test('every verb has its case (test/cli/README.md), and every case its verb', () => {
  const cases = readdirSync(CASES).filter((file) => file !== 'verb-case.ts');
  expect(cases.sort()).toEqual(verbs.map((words) => path.basename(fileOf(words))).sort());
});

test('every verb has --json and says what it does', () => {
  for (const words of verbs) {
    const verb = words.reduce<Command>(
      (command, word) => command.commands.find((one) => one.name() === word)!,
      program,
    );
    expect([words, verb.options.map(({ long }) => long)]).toEqual([
      words,
      expect.arrayContaining(['--json']),
    ]);
    expect([words, verb.description()]).toEqual([words, expect.stringMatching(/.{10}/)]);
  }
});

describe.each(
  verbs.filter((words) => existsSync(fileOf(words))).map((words) => [words.join(' '), words] as const),
)('gdx %s', (_, words) => {
  let verbCase: VerbCase;
  beforeAll(async () => {
    ({ verbCase } = (await import(fileOf(words))) as { verbCase: VerbCase });
  });

  const run = async (own: string[] | undefined, ...more: string[]) =>
    scene.gdx([...words, ...(own ?? (await verbCase.prepare?.(scene)) ?? []), ...more]);

  test('table', async () => {
    const { table } = verbCase;
    const { exitCode, stdout, stderr } = await run(table.args);
    expect([exitCode, stdout, stderr]).toEqual([
      table.exitCode ?? 0,
      expect.stringMatching(table.says),
      expect.any(String),
    ]);
  });

  test('--json', async () => {
    const { json } = verbCase;
    const answer = await run(json.args, '--json');
    expect([answer.exitCode, answer.stderr]).toEqual([json.exitCode ?? 0, expect.any(String)]);
    expect(answer.json()).toMatchObject(json.holds);
  });

  test('error', async () => {
    const { error } = verbCase;
    const answer = await run(error.args);
    expect([answer.exitCode, answer.stdout]).toEqual([error.exitCode, '']);
    expect(answer.stderr).toMatch(/^gdx: [^\n]+; [^\n]+\n$/);
    expect(answer.stderr).toMatch(error.says);
  });
});
