import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';
import { temporalUnavailable } from '../temporal-unavailable';

export function workerListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('versions of the workers that were started, latest first, and the current one')
    .action(async ({ json }: { json?: true }) => {
      const versions = await (await connections.workerVersions()).list().catch(async () => {
        throw await temporalUnavailable(connections);
      });
      const rows = versions.map(({ build_id, state, first_seen }) => ({ build_id, state, first_seen }));
      if (json) return printJson({ data: rows });
      if (rows.length === 0)
        note('No worker has been started with GDX_WORKER_BUILD_ID, so every worker takes tasks.');
      printTable(rows);
    });
}
