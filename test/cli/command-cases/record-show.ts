import { pushRecords } from '../../setup/push-records';
import type { CommandCase } from './command-case';

const odd = { id: 'S-1', account_id: '1001', status: 'lost', lines: [{ amount: 5 }], net_amount: 7 };
const status = 'status is none of draft, posted, paid, reversed, void';
const sum = 'net_amount is not the sum of lines and adjustments (off by 2)';

export const commandCase: CommandCase = {
  prepare: async ({ store }) => {
    await pushRecords(store, { settlements: [odd] });
    return ['settlements', '42-S-1'];
  },
  table: {
    says: new RegExp(`^position +1\\n(.*\\n)*warnings +${status}; ${sum.replace(/[()]/g, '.')}\\n`, 'm'),
  },
  json: { holds: { id: '42-S-1', record: { settlement: { status: 'lost' } }, warnings: [status, sum] } },
  error: { args: ['tickets', '42-9'], exitCode: 1, says: /no record 42-9 among the tickets; / },
};
