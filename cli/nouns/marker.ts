import type { Command } from 'commander';
import { reset } from '../../control/reset';
import { atLeast } from '../../domain/records/count';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import { deedCommand } from '../deed-command';
import type { Envelope } from '../envelope';
import { channelNamed } from '../require-stored';

export function markerCommands(marker: Command, envelope: Envelope): void {
  envelope.reads(
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

  deedCommand(marker.command('reset'), reset, envelope);
}
