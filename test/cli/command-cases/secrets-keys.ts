import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { says: /^GDX_CUSTOMER_SECRETS_KEY +\S{44}\nGDX_CUSTOMER_SECRETS_PUBLIC_KEY +\S{44}$/m },
  json: { holds: { GDX_CUSTOMER_SECRETS_KEY: expect.any(String) } },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
