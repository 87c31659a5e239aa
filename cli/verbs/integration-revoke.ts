import type { Command } from 'commander';
import type { Connections } from '../connections';
import { findIntegration } from '../find-integration';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireIntegration } from '../require-integration';
import { confirmRevoke, revokeOptions, whichToRevoke, type RevokeOptions } from '../token-options';

export function integrationRevoke(group: Command, connections: Connections): void {
  revokeOptions(group.command('revoke'))
    .description('end tokens of an ERP at once')
    .argument('<integration>', 'its id')
    .action(async (id: string, options: RevokeOptions) => {
      const which = whichToRevoke(options);
      const { name, company } = await findIntegration(connections, id);
      await confirmRevoke(options, 'token', `${name} of ${company.name}`);
      const { revokeToken } = await import('../../store/integrations.js');
      requireIntegration((await revokeToken(await connections.store(), id, which)) || null, id);
      const answer = { id, revoked: which };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });
}
