import { type Command, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createProgram } from '../../cli/create-program';
import { codeOf, type Doc, readDocs } from './read-docs';
import { checkout } from '../../tools/local/checkout';

// A command or an option that is renamed must not stay in a page: every `gdx` line is parsed by the real program.

const docs = readDocs().filter(({ file }) => !file.startsWith('docs/decisions') && file !== 'CHANGELOG.md');

const words = (line: string) =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, other, plain]) => one ?? other ?? plain!);

const GDX = /^(?:npm run -s |.*main\.js )?gdx (?:-- )?([a-z-].*)$/;

function gdxLines(doc: Doc): string[] {
  return codeOf(doc).flatMap((code) => {
    const [line] = code.replaceAll('\\|', '|').split(/ [|#>] | && /) as [string];
    const args = GDX.exec(line.trim())?.[1];
    return args && !/…|\.\.\./.test(args) ? [args] : [];
  });
}

/** The program, whose commands do nothing. */
function parser(): Command {
  const program = createProgram({} as never, (() => []) as never);
  const silence = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    if (command.commands.length === 0 || command.registeredArguments.length > 0) command.action(() => {});
    command.commands.forEach(silence);
  };
  silence(program);
  return program;
}

async function problemOf(args: string): Promise<string | undefined> {
  try {
    await parser().parseAsync(words(args), { from: 'user' });
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

test('a wrong command is noticed', async () => {
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
const namedIn = (text: string) =>
  [...text.matchAll(/\bnpm (?:run (?:-s )?([a-z:-]+)|(start|test))\b/g)].map(([, run, own]) => run ?? own!);

test('every npm script that a page names exists', () => {
  const unknown = docs.flatMap((doc) =>
    namedIn(codeOf(doc).join('\n')).flatMap((name) =>
      name in scripts ? [] : `${doc.file}: npm run ${name}`,
    ),
  );
  expect(unknown).toEqual([]);
});

// The rows of the two tables that name a command, and what their last column says of it.
const RUNNERS = [...read('test/README.md').matchAll(/^\|.*`npm .*\| (.+?) \|$/gm)].flatMap(([row, by]) =>
  namedIn(row).map((name) => [name, by!] as const),
);

test('test/README.md says of every npm script what runs it', () => {
  expect(RUNNERS.map(([name]) => name).sort()).toEqual(Object.keys(scripts).sort());
});

test('what test/README.md says of a script is so', () => {
  const [ci, nightly] = [read('.ci/run'), read('.github/workflows/nightly.yml')];
  const ranByCi = [...namedIn(ci), ...(ci.includes('npm ci') ? ['prepare', 'build'] : [])];
  const isSo = (name: string, by: string) =>
    by === 'nightly'
      ? new RegExp(`^ +- (run: npm run |script: )?${name}$`, 'm').test(nightly) ||
        namedIn(nightly).includes(name)
      : by !== '`.ci/run`' ||
        ranByCi.includes(name) ||
        ci.includes(`jest.${name.replace('test:', '')}.config.js`);
  expect(RUNNERS.filter(([name, by]) => !isSo(name, by))).toEqual([]);
});
