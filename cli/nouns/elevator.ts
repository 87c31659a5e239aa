import type { Command } from 'commander';
import { findElevators } from '../../store/push/elevators';
import type { Envelope } from '../envelope';
import type { Cell } from '../../client/print';

export function elevatorCommands(elevator: Command, { reads }: Envelope): void {
  reads(
    elevator
      .command('list')
      .description('the elevators, as their ERPs pushed them')
      .option('--company-id <id>', 'only those of this company'),
    async ({ store }, { companyId }: { companyId?: string }) => {
      const stored = await findElevators(await store(), companyId);
      const data = stored.map(({ _id, company_id, json, updated_at }) => ({
        id: _id,
        company_id,
        updated_at,
        elevator: JSON.parse(json.toString('utf8')) as Record<string, Cell>,
      }));
      return {
        json: { data },
        table: data.map(({ id, elevator: pushed, updated_at }) => ({
          id,
          name: pushed['name'],
          city: pushed['city'],
          state: pushed['state'],
          phone: pushed['phone'],
          deleted: pushed['deleted_at'],
          updated_at,
        })),
        none: 'No elevators: an ERP pushes them with `update-elevators`.',
      };
    },
  );
}
