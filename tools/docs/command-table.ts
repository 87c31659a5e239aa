import type { Command } from 'commander';
import { createProgram } from '../../cli/create-program';

/** Every command of `gdx` with its summary, as its `--help` says it. */
export async function commandTable(): Promise<string> {
  const program = await createProgram({} as never, (() => []) as never);
  return ['| command | what it does |', '|---|---|', ...rowsOf(program)].join('\n');
}

function rowsOf(command: Command, before = ''): string[] {
  const name = `${before}${command.name()}`;
  const within = command.commands.flatMap((one) => rowsOf(one, `${name} `));
  if (within.length > 0 && command.registeredArguments.length + command.options.length === 0) return within;
  const args = command.registeredArguments.map((argument) => {
    const says = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? ` <${says}>` : ` [${says}]`;
  });
  return [`| \`${name}${args.join('')}\` | ${command.description().replaceAll('|', '\\|')} |`, ...within];
}
