import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';

export function operatorList(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('who may sign in to /ops')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const { listOperators } = await import('../../store/operators.js');
      const operators = await listOperators(await connections.store());
      const rows = operators.map(({ name, created_at }) => ({ name, created_at }));
      if (json) return printJson({ data: rows });
      if (rows.length === 0) note('Nobody may sign in yet: `gdx operator add` makes the first.');
      printTable(rows);
    });
}
