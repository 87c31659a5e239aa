import type { Command } from 'commander';
import { userInfo } from 'node:os';
import { createConnections } from '../../cli/connections';
import { createProgram } from '../../cli/create-program';
import { nightlyTest, slowTest } from '../setup/cases';
import '../setup/fake-customer'; // its check after each test is registered before the first one runs
import { openCliScene, type CliScene } from './open-cli-scene';
import { DEED_CASES } from '../control/deed-cases';
import { LIST_CASES } from '../control/list-cases';
import { caseOfDeed, caseOfList } from './command-cases/cases-of-rows';
import { channelCases } from './command-cases/channel-cases';
import type { CommandCase } from './command-cases/command-case';
import { erpCases } from './command-cases/erp-cases';
import { farmerCases } from './command-cases/farmer-cases';
import { feedCases } from './command-cases/feed-cases';
import { integrationCases } from './command-cases/integration-cases';
import { secretsCases } from './command-cases/secrets-cases';
import { serviceCases } from './command-cases/service-cases';

describe('commands', () => {
  const CASES: Record<string, CommandCase> = {
    ...Object.fromEntries([...DEED_CASES.flatMap(caseOfDeed), ...LIST_CASES.map(caseOfList)]),
    ...{ ...channelCases, ...integrationCases, ...farmerCases, ...feedCases },
    ...{ ...secretsCases, ...serviceCases, ...erpCases },
  };
  const nobody = () => Promise.reject(new Error('no command is run here'));

  /** The words of every command, as in `channel add`. */
  function commandsOf(command: Command, words: string[] = []): string[][] {
    const below = command.commands.filter((child) => child.name() !== 'help');
    // `actions` is a command, and the group of `actions verify`.
    const isOne = command.registeredArguments.length + command.options.length > 0;
    const own = below.length === 0 || isOne ? [words] : [];
    return [...own, ...below.flatMap((child) => commandsOf(child, [...words, child.name()]))];
  }

  let program: Command;
  const commandAt = (words: string[]) =>
    words.reduce<Command>((command, word) => command.commands.find((one) => one.name() === word)!, program);

  /** As it is recorded: a deed by its row, everything else by the words of the command. */
  function actionOf(words: string): string {
    const deed = DEED_CASES.find(({ gdx }) => gdx?.startsWith(`${words} @`))?.deed;
    return deed ? (deed.recorded ?? deed.name) : words;
  }

  let scene: CliScene;
  beforeAll(async () => {
    program = await createProgram(createConnections(nobody, nobody), nobody);
    scene = await openCliScene();
  });

  test('every command has its case (test/cli/README.md), and every case its command', () => {
    const commands = commandsOf(program).map((words) => words.join(' '));
    expect(Object.keys(CASES).sort()).toEqual(commands.sort());
  });

  test('every command has --json and says what it does', () => {
    for (const words of commandsOf(program)) {
      const command = commandAt(words);
      expect([words, command.options.map(({ long }) => long)]).toEqual([
        words,
        expect.arrayContaining(['--json']),
      ]);
      expect([words, command.description()]).toEqual([words, expect.stringMatching(/.{10}/)]);
    }
  });

  test('what is not called is shown by --help as if it were loaded', async () => {
    const shown = await createProgram(createConnections(nobody, nobody), nobody, []);
    expect(shown.commands.map((noun) => noun.commands.length)).toEqual(shown.commands.map(() => 0));
    expect(shown.helpInformation()).toBe(program.helpInformation());
  });

  const known = Object.entries(CASES).map(([name, of]) => [name, name.split(' '), of] as const);
  describe.each(known)('gdx %s', (_name, words, commandCase) => {
    const changes = () => commandAt(words).options.some(({ long }) => long === '--reason');

    const run = async (own: string[] | undefined, ...more: string[]) =>
      scene.gdx([...words, ...(own ?? (await commandCase.prepare?.(scene)) ?? []), ...more]);

    test('table', async () => {
      const { table } = commandCase;
      const args = table.args ?? (await commandCase.prepare?.(scene)) ?? [];
      const before = await scene.fingerprint();
      const reason = `for ${words.join(' ')}`;
      const { exitCode, stdout, stderr } = await run([...args, ...(changes() ? ['--reason', reason] : [])]);
      expect([exitCode, stdout, stderr]).toEqual([
        table.exitCode ?? 0,
        expect.stringMatching(table.says),
        expect.any(String),
      ]);
      // What reads changes nothing; what changes something has recorded who, why, what was there before and what came of it.
      if (!changes()) return expect(await scene.fingerprint()).toBe(before);
      expect(await scene.recorded(reason)).toMatchObject([
        {
          ...{ by: userInfo().username, via: 'gdx', action: actionOf(words.join(' ')) },
          ...{ before: {}, outcome: expect.any(String), ...table.recorded },
        },
      ]);
    });

    // what programs read, and errors: of a few commands here (gdx.test.ts, gdx-errors.test.ts), of each in the slow suite
    const answersPrograms = async () => {
      const { json } = commandCase;
      const answer = await run(json.args, '--json');
      expect([answer.exitCode, answer.stderr]).toEqual([json.exitCode ?? 0, expect.any(String)]);
      expect(answer.json()).toMatchObject(json.holds);
    };
    slowTest('--json', answersPrograms);
    nightlyTest('--json of the program itself', answersPrograms);

    slowTest('error', async () => {
      const { error } = commandCase;
      const answer = await run(error.args);
      expect([answer.exitCode, answer.stdout]).toEqual([error.exitCode, '']);
      expect(answer.stderr).toMatch(/^gdx: [^\n]+; [^\n]+\n$/);
      expect(answer.stderr).toMatch(error.says);
    });
  });
});
