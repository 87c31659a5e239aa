import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';

export function operatorListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('who may sign in to /ops')
    .action(async ({ json }: { json?: true }) => {
      const { listOperators, roleOf } = await import('../../store/callers/operators.js');
      const operators = await listOperators(await connections.store());
      const rows = operators.map((operator) => ({
        name: operator.name,
        role: roleOf(operator),
        created_at: operator.created_at,
      }));
      if (json) return printJson({ data: rows });
      if (rows.length === 0) note('No operators yet: `gdx operator add` creates one.');
      printTable(rows);
    });
}
