import type { Command } from 'commander';
import type { Connections } from '../connections';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { channelNamed, requireChannel } from '../require-stored';
import {
  confirmRevoke,
  keysBefore,
  revokeOptions,
  type RevokeOptions,
  whichToRevoke,
} from '../token-options';

export function channelRevokeKeyCommand(group: Command, connections: Connections): void {
  revokeOptions(group.command('revoke-key'))
    .description('revoke API keys of a customer at once; the feed continues')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, options: RevokeOptions) => {
      const which = whichToRevoke(options);
      const channel = await channelNamed(connections, slug);
      await confirmRevoke(options, 'API key', channel.name);
      const { revokeKey } = await import('../../store/channels/channel-keys.js');
      const before = keysBefore(channel);
      const change = { action: 'channel revoke-key', channel: slug, about: which, before } as const;
      await recordChange(connections, { ...change, reason: options.reason }, async (store) =>
        requireChannel((await revokeKey(store, slug, which)) || null, slug),
      );
      const answer = { slug, revoked: which };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });
}
