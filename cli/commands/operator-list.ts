import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';

export function operatorListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('who may sign in to /ops')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const { listOperators, roleOf } = await import('../../store/access/operators.js');
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
