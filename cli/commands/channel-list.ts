import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';

export function channelListCommand(group: Command, connections: Connections): void {
  group
    .command('list')
    .description('all channels')
    .action(async ({ json }: { json?: true }) => {
      const { listChannels } = await import('../../store/channels/channels.js');
      const { channelDocument } = await import('../channel-document.js');
      const channels = await listChannels(await connections.store());
      const shown = channels.map((channel) => channelDocument(channel, Date.now()));
      if (json) return printJson({ data: shown });
      if (shown.length === 0) note('No channels yet: `gdx channel add` creates one.');
      printTable(
        shown.map(({ slug, name, state, scope, companies, cadence, next_due, failing, base_url }) => ({
          slug,
          name,
          state,
          scope,
          companies: companies.length === 0 ? 'all' : companies,
          cadence,
          next_due,
          failing: failing?.failure,
          base_url,
        })),
      );
    });
}
