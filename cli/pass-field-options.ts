import { InvalidArgumentError, Option, type Command } from 'commander';
import { readPassedField } from '../domain/passed-field';
import { CliError } from './cli-error';

export interface PassFieldOptions {
  passField?: string[];
  withholdField?: string[];
}

/** Options that say which fields of its own an ERP declares as naming nobody. */
export function passFieldOptions(command: Command): Command {
  const pass = new Option(
    '--pass-field <field>',
    'send farmers’ customers a field of the ERP’s own that names nobody, like tickets.our_note; repeatable',
  );
  const withhold = new Option('--withhold-field <field>', 'send it to them no longer; repeatable');
  return command
    .addOption(pass.argParser(collectDeclarable))
    .addOption(withhold.argParser((text: string, before: string[] = []) => [...before, text]));
}

/**
 * What the options change; undefined when they are not there.
 * @throws CliError when a field is withheld that is not declared
 */
export function passFieldChanges(
  { passField: add = [], withholdField: remove = [] }: PassFieldOptions,
  declared: readonly string[],
): { add: string[]; remove: string[] } | undefined {
  const unknown = remove.filter((field) => !declared.includes(field));
  if (unknown.length > 0)
    throw new CliError(
      `${unknown.join(', ')} is not declared`,
      '`gdx integration list` shows which fields are',
    );
  return add.length + remove.length > 0 ? { add, remove } : undefined;
}

function collectDeclarable(text: string, before: string[] = []): string[] {
  const field = readPassedField(text);
  if (typeof field === 'string') throw new InvalidArgumentError(field);
  return [...before, text];
}
