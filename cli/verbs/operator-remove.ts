import type { Command } from 'commander';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

export function operatorRemove(group: Command, connections: Connections): void {
  group
    .command('remove')
    .description('end the token and the sessions of somebody at once')
    .argument('<name>', 'as `gdx operator list` shows it')
    .option('--json', 'one JSON document on stdout')
    .action(async (name: string, { json }: { json?: true }) => {
      const { removeOperator } = await import('../../store/operators.js');
      if (!(await removeOperator(await connections.store(), name)))
        throw new Failure(`there is no operator ${name}`, '`gdx operator list` shows them all');
      const answer = { name, removed: true };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
