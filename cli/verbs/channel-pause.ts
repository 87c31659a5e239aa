import type { Command } from 'commander';
import type { Connections } from '../connections';
import { keepAction } from '../keep-action';
import { note } from '../note';
import { parseText } from '../parse-text';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

export function channelPause(group: Command, connections: Connections): void {
  group
    .command('pause')
    .description('send nothing more to a customer until it is resumed; nothing is lost')
    .argument('<channel>', 'its slug')
    .requiredOption('--reason <text>', 'why, for whoever looks next', parseText)
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { reason: given, json }: { reason: string; json?: true }) => {
      const { pauseChannel } = await import('../../store/channels.js');
      const channel = requireChannel(await pauseChannel(await connections.store(), slug, given), slug);
      const { reason, at } = channel.paused!;
      await tellWorkflow(slug);
      await keepAction(connections, { channel: slug, action: 'pause', reason });
      const answer = { slug, state: channel.state, reason, at };
      if (json) printJson(answer);
      else printFacts(answer);
    });

  async function tellWorkflow(slug: string): Promise<void> {
    const bell = await connections.bell();
    const heard = await bell.settingsChanged(slug, 'paused');
    if (!heard) note('Temporal does not answer: the pause holds all the same, from the next page on.');
  }
}
