import type { Command } from 'commander';
import { askerWith } from '../asker';
import type { Connections } from '../connections';
import { controlParts } from '../control-parts';
import { CliError } from '../cli-error';
import { printFacts, printJson } from '../print';
import { temporalUnavailable } from '../temporal-unavailable';

export function channelDeliverCommand(group: Command, connections: Connections): void {
  group
    .command('deliver')
    .description('run now instead of at the next due time')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, { reason = null, json }: { reason?: string | null; json?: true }) => {
      const { ChannelPaused, requestDelivery } = await import('../../control/request-delivery.js');
      const { parts, channel } = await controlParts(connections, slug);
      const asker = askerWith(reason);
      const result = await requestDelivery(parts, channel, asker).catch((error: Error) => {
        if (!(error instanceof ChannelPaused)) throw error;
        const advice = `\`gdx channel resume ${slug}\` delivers at once`;
        throw new CliError(`channel ${slug} is paused (${error.reason})`, advice);
      });
      if (!result?.signalled) throw await temporalUnavailable(connections);
      const answer = { slug, request_id: asker.request_id };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
