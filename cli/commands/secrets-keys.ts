import type { Command } from 'commander';
import { note, printFacts, printJson } from '../print';

export function secretsKeysCommand(group: Command): void {
  group
    .command('keys')
    .description('make a key pair for customers’ secrets; nothing is stored')
    .action(async ({ json }: { json?: true }) => {
      const { newCustomerKeys } = await import('../../store/secrets/customer-secrets.js');
      const { privateKey, publicKey } = newCustomerKeys();
      note(
        'The private key is for the worker, the public one for API and gdx. Keep a copy apart from the backups.',
      );
      const pair = { GDX_CUSTOMER_SECRETS_KEY: privateKey, GDX_CUSTOMER_SECRETS_PUBLIC_KEY: publicKey };
      if (json) printJson(pair);
      else printFacts(pair);
    });
}
