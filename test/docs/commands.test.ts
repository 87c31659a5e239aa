import { type Command, CommanderError } from 'commander';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createProgram } from '../../cli/create-program';
import { codeOf, type Doc, readDocs } from './read-docs';
import { MADE } from '../../tools/docs/make-docs';
import { checkout } from '../../tools/local/checkout';
import { slowTest } from '../setup/cases';

// A command or an option that is renamed must not stay in a page: every `gdx` line is parsed by the real program.

// The table of all commands is made of that program.
const docs = readDocs()
  .filter(({ file }) => !file.startsWith('docs/decisions') && file !== 'CHANGELOG.md')
  .map(({ file, text }) => ({ file, text: text.replace(MADE, '') }));

const words = (line: string) =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, other, plain]) => one ?? other ?? plain!);

const GDX = /^(?:npm run -s |.*main\.js )?gdx (?:-- )?([a-z-].*)$/;

function gdxLines(doc: Doc): string[] {
  return codeOf(doc).flatMap((code) => {
    const [line] = code.replaceAll('\\|', '|').split(/ [|#<>] | && /) as [string];
    const args = GDX.exec(line.trim())?.[1];
    return args && !/…|\.\.\./.test(args) ? [args] : [];
  });
}

/** The program, whose commands do nothing. */
async function parser(): Promise<Command> {
  const program = await createProgram({} as never, (() => []) as never);
  const silence = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    const isGroup = command.commands.length > 0 && command.options.length === 0;
    if (!isGroup) command.action(() => {});
    command.commands.forEach(silence);
  };
  silence(program);
  return program;
}

async function problemOf(args: string): Promise<string | undefined> {
  try {
    await (await parser()).parseAsync(words(args), { from: 'user' });
    return undefined;
  } catch (error) {
    const { code = '', message } = error as CommanderError;
    const isNamedOnly = /^[a-z- ]+$/.test(args) && /missing/i.test(code); // "`gdx deliveries` shows the answer"
    return isNamedOnly || /help|version/.test(code) ? undefined : message;
  }
}

test('the pages hold commands at all', () => {
  expect(docs.flatMap(gdxLines).length).toBeGreaterThan(25);
});

slowTest('a wrong command is noticed', async () => {
  expect(await problemOf('channel frob acme')).toMatch(/unknown command/);
  expect(await problemOf('deliveries acme --colour')).toMatch(/unknown option/);
});

test.each(docs.flatMap((doc) => gdxLines(doc).map((line) => [doc.file, line])))(
  '%s: gdx %s',
  async (_file, line) => {
    expect(await problemOf(line)).toBeUndefined();
  },
);

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const proof = (...args: string[]) =>
  spawnSync('npm', ['run', '-s', 'proof', '--', ...args], { cwd: checkout, encoding: 'utf8' });
const proofs = proof('--list')
  .stdout.split('\n')
  .flatMap((line) => /^\w+/.exec(line)?.[0] ?? []);

// `npm run proof` runs more than one thing, each by its name.
const COMMANDS = [
  ...Object.keys(scripts).filter((name) => name !== 'proof'),
  ...proofs.map((name) => `proof -- ${name}`),
];
const namedIn = (text: string) =>
  [...text.matchAll(/\bnpm (?:run (?:-s )?(proof -- [a-z]+|[a-z:-]+)|(start|test))\b/g)].map(
    ([, run, own]) => run ?? own!,
  );

test('every npm script that a page names exists', () => {
  const known = [...COMMANDS, 'proof']; // with `--list`, or where any of them is meant
  const unknown = docs.flatMap((doc) =>
    namedIn(codeOf(doc).join('\n')).flatMap((name) =>
      known.includes(name) ? [] : `${doc.file}: npm run ${name}`,
    ),
  );
  expect(unknown).toEqual([]);
});

slowTest.each([
  [[], 'no proof is named; choose one of these'],
  [['frob'], 'there is no proof named frob; choose one of these'],
])('npm run proof -- %j lists the proofs', (args, problem) => {
  const { status, stderr } = proof(...args);
  expect(stderr).toBe(`${problem}\n${proof('--list').stdout}`);
  expect(status).toBe(2);
});

test('a proof for each name that is listed', () => {
  const script = read('test/proof.sh');
  const cases = [...script.matchAll(/^ {2}([a-z]+(?: \| [a-z]+)*)\)/gm)].flatMap(([, names]) =>
    names!.split(' | '),
  );
  expect(cases.sort()).toEqual(proofs);
});

// The rows of the two tables that name commands, and what their last column says of them.
const ROWS = [...read('test/README.md').matchAll(/^\|.*`npm .*\| (.+?) \|$/gm)].map(
  ([row, by]) => [namedIn(row), by!] as const,
);

test('test/README.md says of every command what runs it', () => {
  expect(ROWS.flatMap(([names]) => names).sort()).toEqual([...COMMANDS].sort());
});

test('what test/README.md says of a command is so', () => {
  const [ci, nightly] = [read('.ci/run'), read('.github/workflows/nightly.yml')];
  const ranByCi = namedIn(ci).flatMap((name) => [name, ...namedIn(scripts[name] ?? '')]);
  const isNightly = (name: string) =>
    new RegExp(`^ +- (run: npm run |script: )?${name}$`, 'm').test(nightly) ||
    namedIn(nightly).includes(name);
  const isInCi = (name: string) =>
    ranByCi.includes(name) || ci.includes(`${name.replace('test:', 'GDX_TIER=')} `);
  const isSo = ([names, by]: (typeof ROWS)[number]) =>
    by === 'nightly' ? names.some(isNightly) : by !== '`.ci/run`' || names.every(isInCi);
  expect(ROWS.filter((row) => !isSo(row))).toEqual([]);
});
