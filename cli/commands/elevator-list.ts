import type { Command } from 'commander';
import type { Connections } from '../connections';
import { type Cell, note, printJson, printTable } from '../print';

interface Options {
  companyId?: string;
  json?: true;
}

export function elevatorListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('the elevators, as their ERPs pushed them')
    .option('--company-id <id>', 'only those of this company')
    .action(async ({ companyId, json }: Options) => {
      const { findElevators } = await import('../../store/push/elevators.js');
      const stored = await findElevators(await connections.store(), companyId);
      const shown = stored.map(({ _id, company_id, json: pushed, updated_at }) => ({
        id: _id,
        company_id,
        updated_at,
        elevator: JSON.parse(pushed.toString('utf8')) as Record<string, Cell>,
      }));
      if (json) return printJson({ data: shown });
      if (shown.length === 0) note('No elevators: an ERP pushes them with `update-elevators`.');
      printTable(
        shown.map(({ id, elevator, updated_at }) => ({
          id,
          name: elevator['name'],
          city: elevator['city'],
          state: elevator['state'],
          phone: elevator['phone'],
          deleted: elevator['deleted_at'],
          updated_at,
        })),
      );
    });
}
