import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';

export function integrationList(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('the ERPs allowed to push')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const { listIntegrations } = await import('../../store/integrations.js');
      const rows = (await listIntegrations(await connections.store())).map((integration) => ({
        id: integration._id,
        name: integration.name,
        company_id: integration.company.id,
        company: integration.company.name,
        created_at: integration.created_at,
      }));
      if (json) return printJson({ data: rows });
      if (rows.length === 0) note('No integration yet: `gdx integration add` makes the first.');
      printTable(rows);
    });
}
