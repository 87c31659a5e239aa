import type { Command } from 'commander';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

interface Options {
  yes?: true;
  json?: true;
}

export function operatorRemove(group: Command, connections: Connections): void {
  group
    .command('remove')
    .description('end the token and the sessions of somebody at once')
    .argument('<name>', 'as `gdx operator list` shows it')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document on stdout; does not ask either')
    .action(async (name: string, { yes, json }: Options) => {
      const { listOperators, removeOperator } = await import('../../store/operators.js');
      const store = await connections.store();
      if (!(await listOperators(store)).some((operator) => operator.name === name))
        throw new Failure(`there is no operator ${name}`, '`gdx operator list` shows them all');
      if (!yes && !json) await confirm(`The token and the sessions of ${name} end at once. Go on?`);
      await removeOperator(store, name);
      const answer = { name, removed: true };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
