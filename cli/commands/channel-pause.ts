import type { Command } from 'commander';
import { askerWith } from '../asker';
import type { Connections } from '../connections';
import { controlParts, done } from '../control-parts';
import { parseText } from '../parse-options';
import { printFacts, printJson } from '../print';

export function channelPauseCommand(group: Command, connections: Connections): void {
  group
    .command('pause')
    .description('send nothing more to a customer until it is resumed; nothing is lost')
    .argument('<channel>', 'its slug')
    .requiredOption('--reason <text>', 'why, for whoever looks next', parseText)
    .action(async (slug: string, { reason: given, json }: { reason: string; json?: true }) => {
      const { pause } = await import('../../control/pause-and-resume.js');
      const { parts, channel } = await controlParts(connections, slug);
      done(await pause(parts, channel, askerWith(given)));
      const { findChannel } = await import('../../store/channels/channels.js');
      const { state, paused } = (await findChannel(parts.store, slug))!;
      const answer = { slug, state, ...paused };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
