import type { Command } from 'commander';
import { accessChanges, accessOptions, type AccessOptions } from '../access-options';
import type { Connections } from '../connections';
import { describeIntegration, findIntegration, requireIntegration } from '../require-stored';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { accessFacts } from '../token-facts';

export function integrationSetCommand(group: Command, connections: Connections): void {
  accessOptions(group.command('set'))
    .description('bind the tokens of an ERP to a time and to addresses, or lift that')
    .argument('<integration>', 'its id')
    .action(async (id: string, options: AccessOptions) => {
      const access = accessChanges(options);
      const integration = await findIntegration(connections, id);
      const { setAccess } = await import('../../store/access/set-access.js');
      const change = {
        action: 'integration set',
        channel: null,
        about: describeIntegration(integration),
        before: accessFacts(integration.access),
        reason: options.reason,
      } as const;
      const set = await recordChange(connections, change, async (store) =>
        requireIntegration(await setAccess(store, id, access), id),
      );
      const answer = { id, ...accessFacts(set.access) };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });
}
