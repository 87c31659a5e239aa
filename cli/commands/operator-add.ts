import { Option, type Command } from 'commander';
import type { OperatorRole } from '../../store/callers/operators';
import type { Connections } from '../connections';
import { CliError } from '../cli-error';
import { note, printFacts, printJson } from '../print';
import { parseText } from '../parse-options';
import { recordChange } from '../record-change';

const ROLES: OperatorRole[] = ['read', 'operate'];

interface Options {
  role: OperatorRole;
  reason?: string;
  json?: true;
}

export function operatorAddCommand(group: Command, connections: Connections): void {
  group
    .command('add')
    .description('allow a person to sign in to /ops; prints the token once')
    .argument('<name>', 'shown beside this person’s actions', parseText)
    .addOption(
      new Option('--role <role>', 'look at every channel, or act too').choices(ROLES).default('read'),
    )
    .action(async (name: string, { role, reason, json }: Options) => {
      const answer = { name, role, token: await add(name, role, reason) };
      note('The token is shown only once. Enter it at /ops/sign-in; never put it into a URL.');
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function add(name: string, role: OperatorRole, reason: string | undefined): Promise<string> {
    const { addOperator, OperatorExists } = await import('../../store/callers/operators.js');
    await connections.preparedStore();
    const change = {
      action: 'operator add',
      channel: null,
      about: `${name}, ${role}`,
      before: {},
      reason,
    } as const;
    const { token } = await recordChange(connections, change, (store) =>
      addOperator(store, name, role).catch((error: unknown) => {
        if (!(error instanceof OperatorExists)) throw error;
        throw new CliError(error.message, `\`gdx operator remove "${name}"\` revokes the old token`);
      }),
    );
    return token;
  }
}
