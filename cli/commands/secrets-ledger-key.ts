import type { Command } from 'commander';
import type { Connections } from '../connections';
import { confirm } from '../confirm';
import { printJson, printTable } from '../print';
import { recordChange } from '../record-change';

interface Options {
  new?: true;
  reason?: string;
  yes?: true;
  json?: true;
}

export function secretsLedgerKeyCommand(group: Command, connections: Connections): void {
  group
    .command('ledger-key')
    .description('the public keys that verify the ledger of consents; the first one signs')
    .option('--new', 'sign with a new key from now on; earlier keys still verify what they have signed')
    .option('--yes', 'do not ask')
    .action(async ({ new: replace, reason, yes, json }: Options) => {
      const { readLedgerKeys, replaceLedgerKey } = await import('../../store/secrets/ledger-keys.js');
      const store = await connections.preparedStore();
      if (replace && !yes && !json) await confirm('Auditors have to be given the new public key. Continue?');
      if (replace) {
        const [signs] = (await readLedgerKeys(store)).known;
        const before = { signs: signs!.id };
        const change = { action: 'secrets ledger-key', channel: null, before, reason } as const;
        await recordChange(connections, change, replaceLedgerKey);
      }
      const { known } = await readLedgerKeys(store);
      const data = known.map(({ id, shown }, index) => ({ id, ed25519: shown, signs: index === 0 }));
      if (json) printJson({ data });
      else printTable(data);
    });
}
