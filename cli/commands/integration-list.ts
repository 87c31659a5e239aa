import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';
import { accessFacts } from '../token-facts';

export function integrationListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('the ERPs allowed to push')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const { listIntegrations } = await import('../../store/access/integrations.js');
      const { lastUses } = await import('../../store/access/token-use.js');
      const store = await connections.store();
      const rows = [];
      for (const integration of await listIntegrations(store)) {
        const uses = await lastUses(store, integration.token_hashes);
        rows.push({
          id: integration._id,
          name: integration.name,
          company_id: integration.company.id,
          company: integration.company.name,
          created_at: integration.created_at,
          last_used_at: uses.newest,
          old_last_used_at: uses.old,
          ...accessFacts(integration.access),
        });
      }
      if (json) return printJson({ data: rows });
      if (rows.length === 0) note('No integrations yet: `gdx integration add` creates one.');
      printTable(rows);
    });
}
