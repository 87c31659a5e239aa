import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandCase } from './command-case';
import { temporaryFolder } from '../../setup/temporary-folder';

export const commandCase: CommandCase = {
  // What it pushes, and how: push.test.ts.
  prepare: async () => {
    const file = path.join(temporaryFolder('push'), 'export.csv');
    writeFileSync(file, 'Ticket Number;Customer;Net Weight\n');
    return [file, '--draft', 'tickets'];
  },
  table: { says: /"delimiter": ";",\n.*"Ticket Number": "ticket_number",\n +"Customer": null,\n/s },
  json: { holds: { type: 'tickets', columns: { 'Net Weight': 'net_weight', Customer: null } } },
  error: { args: ['nowhere.csv'], exitCode: 2, says: /--mapping is missing; / },
};
