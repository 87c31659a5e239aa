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

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  const named = docs.flatMap((doc) =>
    codeOf(doc).flatMap((code) => {
      const script = /\bnpm (?:run (?:-s )?)([a-z:-]+)/.exec(code)?.[1];
      return script && !(script in scripts) ? [`${doc.file}: npm run ${script}`] : [];
    }),
  );
  expect(named).toEqual([]);
});
