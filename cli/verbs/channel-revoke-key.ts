import type { Command } from 'commander';
import type { Connections } from '../connections';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireChannel } from '../require-channel';
import { confirmRevoke, revokeOptions, whichToRevoke, type RevokeOptions } from '../token-options';

export function channelRevokeKey(group: Command, connections: Connections): void {
  revokeOptions(group.command('revoke-key'))
    .description('end API keys of a customer at once; his feed goes on')
    .argument('<channel>', 'its slug')
    .action(async (slug: string, options: RevokeOptions) => {
      const which = whichToRevoke(options);
      const { findChannel } = await import('../../store/channels.js');
      const { name } = requireChannel(await findChannel(await connections.store(), slug), slug);
      await confirmRevoke(options, 'API key', name);
      const { revokeKey } = await import('../../store/channel-keys.js');
      requireChannel((await revokeKey(await connections.store(), slug, which)) || null, slug);
      const answer = { slug, revoked: which };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });
}
