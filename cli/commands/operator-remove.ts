import type { Command } from 'commander';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { CliError } from '../cli-error';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';

interface Options {
  reason?: string;
  yes?: true;
  json?: true;
}

export function operatorRemoveCommand(group: Command, connections: Connections): void {
  group
    .command('remove')
    .description('revoke a person’s token and sessions at once')
    .argument('<name>', 'as `gdx operator list` shows it')
    .option('--yes', 'do not ask')
    .action(async (name: string, { reason, yes, json }: Options) => {
      const { listOperators, removeOperator, roleOf } = await import('../../store/callers/operators.js');
      const store = await connections.store();
      const operator = (await listOperators(store)).find((one) => one.name === name);
      if (!operator) throw new CliError(`there is no operator ${name}`, '`gdx operator list` shows them all');
      if (!yes && !json) await confirm(`The token and the sessions of ${name} end at once. Continue?`);
      const before = { created_at: operator.created_at, role: roleOf(operator) };
      const change = { action: 'operator remove', channel: null, about: name, before, reason } as const;
      await recordChange(connections, change, () => removeOperator(store, name));
      const answer = { name, removed: true };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
