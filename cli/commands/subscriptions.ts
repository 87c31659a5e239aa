import type { Command } from 'commander';
import type { Connections } from '../connections';
import { note, printJson, printTable } from '../print';
import { channelNamed } from '../require-stored';

interface Options {
  partnerId?: string;
  json?: true;
}

export function subscriptionsCommand(program: Command, connections: Connections): Command {
  return program
    .command('subscriptions')
    .description('accounts that farmers share with a customer, oldest first; `revoke` ends one')
    .enablePositionalOptions()
    .argument('<channel>', 'its slug')
    .option('--partner-id <id>', 'only under this partner_id')
    .action(async (slug: string, { partnerId, json }: Options) => {
      const { listGranted } = await import('../../store/consent/subscriptions.js');
      const store = await connections.store();
      const channel = await channelNamed(connections, slug);
      const granted = await listGranted(store, slug, partnerId);
      const rows = granted.map(({ account, partner_id, since, ends_at = null, phone_ending }) => ({
        account,
        partner_id,
        since,
        ends_at,
        phone_ending,
      }));
      if (json) return printJson({ data: rows });
      if (channel.scope === 'all') note('The channel’s scope is all: it gets every record, shared or not.');
      else if (rows.length === 0) note('Nothing is shared: no page is sent.');
      printTable(rows);
    });
}
