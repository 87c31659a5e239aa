import type { Command } from 'commander';
import type { Connections } from '../connections';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { channelNamed, requireChannel } from '../require-stored';
import {
  accessChanges,
  accessFacts,
  accessOptions,
  type AccessOptions,
  nothingToChange,
} from '../token-options';

export function channelSetKeyCommand(group: Command, connections: Connections): void {
  accessOptions(group.command('set-key'))
    .description(
      'bind the API keys of a customer to a time and to addresses, or lift that; the feed continues',
    )
    .argument('<channel>', 'its slug')
    .action(async (slug: string, options: AccessOptions) => {
      const access = accessChanges(options);
      if (!access) throw nothingToChange();
      const channel = await channelNamed(connections, slug);
      const { setKeyAccess } = await import('../../store/channels/set-access.js');
      const before = accessFacts(channel.key_access);
      const change = { action: 'channel set-key', channel: slug, before, reason: options.reason } as const;
      const set = await recordChange(connections, change, async (store) =>
        requireChannel(await setKeyAccess(store, slug, access), slug),
      );
      const answer = { slug, ...accessFacts(set.key_access) };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });
}
