import { Argument, type Command } from 'commander';
import { previewReset, reset } from '../../control/reset';
import { atLeast, describeResent } from '../../domain/count';
import { ENTITY_TYPES, type EntityType } from '../../domain/entity-types';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import { controlParts, done, type Envelope } from '../envelope';
import { parseInstantOption } from '../parse-options';
import { channelNamed, requireCarried } from '../require-stored';

interface ResetOptions {
  timestamp: Date;
  dryRun?: true;
  yes?: true;
}

export function markerCommands(marker: Command, { reads, changes }: Envelope): void {
  reads(
    marker
      .command('show')
      .description('how far a customer has confirmed each entity type')
      .argument('<channel>', 'its slug'),
    async (call, slug: string) => {
      const data = await listChannelMarkers(await call.store(), await channelNamed(call, slug));
      const table = data.map(({ last_reset, timestamp, ...found }) => ({
        entity_type: found.entity_type,
        confirmed_up_to: timestamp,
        not_confirmed: found.pending_at_least
          ? atLeast(`${found.pending_records}`, true)
          : found.pending_records,
        last_confirmed: found.delivered_at,
        reset_to: last_reset?.timestamp,
        reset_at: last_reset?.at,
      }));
      return { json: { data }, table };
    },
  );

  changes(
    marker
      .command('reset')
      .description('send again what changed at or after a time')
      .argument('<channel>', 'its slug')
      .addArgument(new Argument('<entity_type>').choices(ENTITY_TYPES))
      .requiredOption('--timestamp <instant>', 'like 2026-10-01T00:00:00Z', parseInstantOption)
      .option('--dry-run', 'only say what would be sent again')
      .option('--yes', 'do not ask'),
    async (call, slug: string, entityType: EntityType, { timestamp, dryRun, yes }: ResetOptions) => {
      const { parts, channel } = await controlParts(call, slug);
      requireCarried(channel, entityType);
      const asked = { entityType, timestamp };
      // Counted once: before the reset if somebody waits for the number, else after the signal.
      const isAwaited = dryRun || (!yes && !call.json);
      const planned = isAwaited ? await previewReset(parts, channel, asked) : undefined;
      if (planned && !dryRun)
        await call.confirm(
          `This resends ${describeResent(entityType, planned.resent)} to ${channel.name}. Continue?`,
        );
      const { resent, starts } = dryRun
        ? planned!
        : done(
            await reset(parts, channel, asked, call.asker, planned?.resent),
            (result) => result.starts === 'now',
          );
      const what = describeResent(entityType, resent);
      return {
        json: { timestamp, ...resent, starts },
        text: `${dryRun ? 'would resend' : 'resends'} ${what}\n`,
      };
    },
  );
}
