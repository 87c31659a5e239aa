import { Argument, type Command } from 'commander';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { describeResent } from '../../domain/count';
import { askerWith } from '../asker';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { controlParts, done } from '../control-parts';
import { parseInstantOption } from '../parse-options';
import { printJson } from '../print';
import { requireCarried } from '../require-stored';

interface Options {
  timestamp: Date;
  reason?: string;
  dryRun?: true;
  yes?: true;
  json?: true;
}

export function markerResetCommand(group: Command, connections: Connections): void {
  group
    .command('reset')
    .description('send again what changed at or after a time')
    .argument('<channel>', 'its slug')
    .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
    .requiredOption('--timestamp <instant>', 'like 2026-10-01T00:00:00Z', parseInstantOption)
    .option('--dry-run', 'only say what would be sent again')
    .option('--yes', 'do not ask')
    .action(async (slug: string, entityType: EntityType, options: Options) => {
      const { previewReset, reset } = await import('../../control/reset.js');
      const { parts, channel } = await controlParts(connections, slug);
      requireCarried(channel, entityType);
      const { timestamp, reason = null, dryRun, yes, json } = options;
      const asked = { entityType, timestamp };
      const asks = !yes && !json;
      // Counted once: before it is done where somebody waits for the figure, else after the workflow was signalled.
      const planned = asks || dryRun ? await previewReset(parts, channel, asked) : undefined;
      if (asks && !dryRun)
        await confirm(
          `This resends ${describeResent(entityType, planned!.resent)} to ${channel.name}. Continue?`,
        );
      const { resent, starts } = dryRun
        ? planned!
        : done(
            await reset(parts, channel, asked, askerWith(reason), planned?.resent),
            (result) => result.starts === 'now',
          );
      if (json) return printJson({ timestamp, ...resent, starts });
      process.stdout.write(`${dryRun ? 'would resend' : 'resends'} ${describeResent(entityType, resent)}\n`);
    });
}
