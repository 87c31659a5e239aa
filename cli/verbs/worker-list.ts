import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note } from '../note';
import { printJson } from '../print-json';
import { printTable } from '../print-table';
import { temporalAway } from '../temporal-away';

export function workerList(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('the versions that workers were started with, latest first, and which one is current')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const versions = await (await connections.workerVersions()).list().catch(async () => {
        throw await temporalAway(connections);
      });
      const rows = versions.map(({ build_id, state, first_seen }) => ({ build_id, state, first_seen }));
      if (json) return printJson({ data: rows });
      if (rows.length === 0) note('No worker was ever started with GDX_WORKER_BUILD_ID: every worker works.');
      printTable(rows);
    });
}
