import type { Command } from 'commander';
import type { KnownPosition } from '../../store/schema/counters-ahead';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { printJson, printTable } from '../print';
import { recordChange } from '../record-change';

interface Options {
  dryRun?: true;
  reason?: string;
  yes?: true;
  json?: true;
}

export function repairCountersCommand(group: Command, connections: Connections): void {
  group
    .command('counters')
    .description('after a restore: raise the counters above every marker and record')
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'do not ask')
    .action(async ({ dryRun, reason, yes, json }: Options) => {
      const { isBehind, knownPositions } = await import('../../store/schema/counters-ahead.js');
      const store = await connections.store();
      const behind = (await knownPositions(store)).filter(isBehind);
      const repair = behind.length > 0 && !dryRun;
      if (repair && !yes && !json)
        await confirm(
          `This raises ${behind.length} counters and forgets which pushes were stored, so that ERPs can push again. Continue?`,
        );
      const { counters, receiptsForgotten } = repair
        ? await raise(behind, reason)
        : { counters: await knownPositions(store), receiptsForgotten: 0 };
      const rows = counters.map((known) => ({ ...known, repaired: repair && isBehind(known) }));
      if (json) return printJson({ data: rows, receipts_forgotten: receiptsForgotten });
      printTable(rows);
      process.stdout.write(`${verdict(behind.length, repair, receiptsForgotten)}\n`);
    });

  async function raise(behind: KnownPosition[], reason: string | undefined) {
    const { raiseCounters } = await import('../../store/schema/counters-ahead.js');
    const before = Object.fromEntries(behind.map(({ entity_type, counter }) => [entity_type, counter]));
    const change = { action: 'repair counters', channel: null, before, reason } as const;
    return recordChange(
      connections,
      change,
      raiseCounters,
      ({ receiptsForgotten }) => `Raised ${behind.length}, forgot ${receiptsForgotten} push receipts.`,
    );
  }
}

function verdict(behind: number, repaired: boolean, forgotten: number): string {
  if (behind === 0) return 'every counter is above every known position';
  if (!repaired) return `${behind} counters are behind; without --dry-run they are raised`;
  return `raised ${behind} counters, forgot ${forgotten} push receipts; now let the ERPs push again (docs/backup.md)`;
}
