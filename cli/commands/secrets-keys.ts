import type { Command } from 'commander';
import { note } from '../note';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';

export function secretsKeysCommand(group: Command): void {
  group
    .command('keys')
    .description('make a key pair for customers’ secrets; nothing is stored')
    .option('--json', 'one JSON document on stdout')
    .action(async ({ json }: { json?: true }) => {
      const { newCustomerKeys } = await import('../../store/access/customer-secrets.js');
      const { privateKey, publicKey } = newCustomerKeys();
      note(
        'The private key is for the worker, the public one for API and gdx. Keep a copy apart from the backups.',
      );
      const pair = { GDX_CUSTOMER_SECRETS_KEY: privateKey, GDX_CUSTOMER_SECRETS_PUBLIC_KEY: publicKey };
      if (json) printJson(pair);
      else printFacts(pair);
    });
}
