import type { Command } from 'commander';
import { atLeast } from '../../domain/count';
import type { Connections } from '../connections';
import { printJson, printTable } from '../print';
import { channelNamed } from '../require-stored';

export function markerShowCommand(group: Command, connections: Connections): void {
  group
    .command('show')
    .description('how far a customer has confirmed each entity type')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, { json }: { json?: true }) => {
      const { listChannelMarkers } = await import('../../store/markers/list-channel-markers.js');
      const store = await connections.store();
      const channel = await channelNamed(connections, slug);
      const markers = await listChannelMarkers(store, channel);
      if (json) return printJson({ data: markers });
      printTable(
        markers.map(({ last_reset, timestamp, ...marker }) => ({
          entity_type: marker.entity_type,
          confirmed_up_to: timestamp,
          pending: marker.pending_at_least
            ? atLeast(`${marker.pending_records}`, true)
            : marker.pending_records,
          delivered_at: marker.delivered_at,
          reset_to: last_reset?.timestamp,
          reset_at: last_reset?.at,
        })),
      );
    });
}
