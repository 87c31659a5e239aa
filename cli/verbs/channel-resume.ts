import type { Command } from 'commander';
import type { Connections } from '../connections';
import { keepAction } from '../keep-action';
import { note } from '../note';
import { parseText } from '../parse-text';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';

export function channelResume(group: Command, connections: Connections): void {
  group
    .command('resume')
    .description('deliver again, at once, from where the customer left off')
    .argument('<channel>', 'its slug')
    .option('--reason <text>', 'why, for whoever looks next', parseText)
    .option('--json', 'one JSON document on stdout')
    .action(async (slug: string, { reason = null, json }: { reason?: string | null; json?: true }) => {
      const { resumeChannel } = await import('../../store/channels.js');
      const channel = requireChannel(await resumeChannel(await connections.store(), slug), slug);
      const heard = await (await connections.bell()).settingsChanged(slug, 'resumed');
      if (!heard)
        note(
          'Temporal does not answer: the channel is resumed and runs when Temporal is back and it is due.',
        );
      await keepAction(connections, { channel: slug, action: 'resume', reason });
      const answer = { slug, state: channel.state };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
