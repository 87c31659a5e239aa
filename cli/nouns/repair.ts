import type { Command } from 'commander';
import { isBehind, knownPositions, raiseCounters } from '../../store/schema/counters-ahead';
import type { Envelope } from '../envelope';

export function repairCommands(repair: Command, { changes }: Envelope): void {
  changes(
    repair
      .command('counters')
      .description('after a restore: raise the counters above every marker and record')
      .option('--dry-run', 'only print what would be done')
      .option('--yes', 'do not ask'),
    async ({ store, confirm, record }, { dryRun }: { dryRun?: true }) => {
      const known = await knownPositions(await store());
      const behind = known.filter(isBehind);
      const isToRaise = behind.length > 0 && !dryRun;
      if (isToRaise)
        await confirm(
          `This raises ${behind.length} counters and forgets which pushes were stored, so that ERPs can push again. Continue?`,
        );
      const before = Object.fromEntries(behind.map(({ entity_type, counter }) => [entity_type, counter]));
      const outcomeOf = ({ receiptsForgotten }: { receiptsForgotten: number }) =>
        `Raised ${behind.length}, forgot ${receiptsForgotten} push receipts.`;
      const { counters, receiptsForgotten } = isToRaise
        ? await record({ channel: null, before }, raiseCounters, outcomeOf)
        : { counters: known, receiptsForgotten: 0 };
      const data = counters.map((one) => ({ ...one, repaired: isToRaise && isBehind(one) }));
      return {
        json: { data, receipts_forgotten: receiptsForgotten },
        table: data,
        text: `${verdict(behind.length, isToRaise, receiptsForgotten)}\n`,
      };
    },
  );
}

function verdict(behind: number, repaired: boolean, forgotten: number): string {
  if (behind === 0) return 'every counter is above every known position';
  if (!repaired) return `${behind} counters are behind; without --dry-run they are raised`;
  return `raised ${behind} counters, forgot ${forgotten} push receipts; now let the ERPs push again (docs/backup.md)`;
}
