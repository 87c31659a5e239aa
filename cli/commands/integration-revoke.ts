import type { Command } from 'commander';
import type { Connections } from '../connections';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { describeIntegration, findIntegration, requireIntegration } from '../require-stored';
import {
  confirmRevoke,
  revokeOptions,
  type RevokeOptions,
  tokensBefore,
  whichToRevoke,
} from '../token-options';

export function integrationRevokeCommand(group: Command, connections: Connections): void {
  revokeOptions(group.command('revoke'))
    .description('revoke tokens of an ERP, within 5 seconds')
    .argument('<integration>', 'its id')
    .action(async (id: string, options: RevokeOptions) => {
      const which = whichToRevoke(options);
      const integration = await findIntegration(connections, id);
      const holder = describeIntegration(integration);
      await confirmRevoke(options, 'token', holder);
      const { stopWatching } = await import('../../store/push/push-activity.js');
      const { revokeToken } = await import('../../store/callers/integrations.js');
      const before = tokensBefore(integration);
      const about = `${which} of ${holder}`;
      const change = {
        action: 'integration revoke',
        channel: null,
        about,
        before,
        reason: options.reason,
      } as const;
      await recordChange(connections, change, async (store) =>
        requireIntegration((await revokeToken(store, id, which)) || null, id),
      );
      if (which === 'all') await stopWatching(await connections.store(), id);
      const answer = { id, revoked: which };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });
}
