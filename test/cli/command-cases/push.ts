import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  // What it pushes, and how: push.test.ts.
  prepare: async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'gdx-push-')), 'export.csv');
    writeFileSync(file, 'Ticket Number;Customer;Net Weight\n');
    return [file, '--draft', 'tickets'];
  },
  table: { says: /"delimiter": ";",\n.*"Ticket Number": "ticket_number",\n +"Customer": null,\n/s },
  json: { holds: { type: 'tickets', columns: { 'Net Weight': 'net_weight', Customer: null } } },
  error: { args: ['nowhere.csv'], exitCode: 2, says: /--mapping is missing; / },
};
