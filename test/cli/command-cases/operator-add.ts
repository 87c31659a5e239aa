import { randomBytes } from 'node:crypto';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async () => [`Ada ${randomBytes(4).toString('hex')}`],
  table: { says: /^name +Ada \w+\nrole +read\ntoken +\S+\n$/ },
  json: { holds: { name: expect.any(String), role: 'read', token: expect.any(String) } },
  error: { args: [' '], exitCode: 2, says: /1 to 200 characters/ },
};
