import type { Command } from 'commander';
import type { Connections } from '../connections';
import { parsePhoneArgument } from '../parse-options';
import { printFacts, printJson } from '../print';
import { recordChange } from '../record-change';

interface Options {
  reason?: string;
  json?: true;
}

export function farmerUnlockCommand(group: Command, connections: Connections): void {
  group
    .command('unlock')
    .description('let a phone ask for codes and enter them again, where too many were')
    .argument('<phone>', 'its ten digits', parsePhoneArgument)
    .action(async (phone: string, { reason, json }: Options) => {
      const { unlockPhone } = await import('../../store/codes/attempt-counts.js');
      const store = await connections.preparedStore();
      const phone_ending = phone.slice(-2);
      const about = `the phone ending in ${phone_ending}`;
      const change = { action: 'farmer unlock', channel: null, about, before: {}, reason } as const;
      await recordChange(connections, change, () => unlockPhone(store, phone));
      const answer = { phone_ending, unlocked: true };
      if (json) printJson(answer);
      else printFacts(answer);
    });
}
