import type { Command } from 'commander';
import { askerWith } from '../asker';
import type { Connections } from '../connections';
import { controlParts, done } from '../control-parts';
import { printFacts, printJson } from '../print';

export function channelResumeCommand(group: Command, connections: Connections): void {
  group
    .command('resume')
    .description('deliver again from where the customer left off')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, { reason = null, json }: { reason?: string | null; json?: true }) => {
      const { resume } = await import('../../control/pause-and-resume.js');
      const { parts, channel } = await controlParts(connections, slug);
      done(await resume(parts, channel, askerWith(reason)));
      const answer = { slug, state: 'active' };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
