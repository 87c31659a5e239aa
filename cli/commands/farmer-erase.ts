import type { Command } from 'commander';
import type { FarmerTraces } from '../../store/consent/farmers-traces';
import { askerWith } from '../asker';
import { confirm } from '../confirm';
import type { Connections } from '../connections';
import { note, printFacts, printJson, printTable } from '../print';
import { parsePhoneArgument, parseText } from '../parse-options';

interface Options {
  reason: string;
  dryRun?: true;
  yes?: true;
  json?: true;
}

interface Preview extends FarmerTraces {
  sessions: string[];
  codes: string[];
}

const STAYS =
  'The entries of the ledger stay, as evidence that the records were shared with permission; nothing links them to the phone any more.';

export function farmerEraseCommand(group: Command, connections: Connections): void {
  group
    .command('erase')
    .description('end all that a farmer shares and forget whose it was; says what stays, and why')
    .argument('<phone>', 'their number', parsePhoneArgument)
    .requiredOption(
      '--reason <text>',
      'who asked and how you know; kept, so never with their name or number',
      parseText,
    )
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'do not ask')
    .action(async (phone: string, { reason, dryRun, yes, json }: Options) => {
      const found = await preview(phone);
      const left = { ledger_entries: found.entries, accounts: found.accounts.map(carrier) };
      if (dryRun || isNothing(found)) {
        if (!dryRun) note('Nothing is left to erase.');
        return show({ dry_run: dryRun === true, ...counts(found) }, left, json);
      }
      if (!yes && !json) await confirm(`${consequence(found)} Continue?`);
      const { signalled, ...erased } = await erase(phone, found, reason);
      if (!signalled) note('Temporal does not answer: the revokes hold all the same, from the next page on.');
      show(erased, left, json);
    });

  async function preview(phone: string): Promise<Preview> {
    const { findTraces } = await import('../../store/consent/farmers-traces.js');
    const { findSignIns } = await import('../../store/codes/forget-sign-ins.js');
    const store = await connections.preparedStore();
    return { ...(await findTraces(store, phone)), ...(await findSignIns(store, phone)) };
  }

  async function erase(phone: string, found: Preview, reason: string) {
    const { recordAction } = await import('../../control/record-action.js');
    const { eraseFarmer } = await import('../../control/erase-farmer.js');
    const parts = { store: await connections.store(), temporal: await connections.temporal() };
    const asker = askerWith(reason);
    const change = { action: 'farmer erase', channel: null, before: counts(found) } as const;
    const done = await recordAction(parts, asker, change, async () => {
      const erased = await eraseFarmer(parts, phone, asker);
      return { erased, outcome: `Revoked ${erased.revoked}, erased ${erased.subscriptions} subscriptions.` };
    });
    return done!.erased;
  }
}

const counts = ({ subscriptions, sessions, codes, known }: Preview) => ({
  granted: subscriptions.filter(({ state }) => state === 'granted').length,
  subscriptions: subscriptions.length,
  sessions: sessions.length,
  codes: codes.length,
  links: known ? 1 : 0,
});

const isNothing = (found: Preview) => !found.known && found.sessions.length + found.codes.length === 0;

function consequence(found: Preview): string {
  const { granted, subscriptions } = counts(found);
  return `This ends the sharing of ${granted} accounts, in every channel, and forgets ${subscriptions} subscriptions for good.`;
}

const carrier = ({ id, company }: FarmerTraces['accounts'][number]) => ({
  account: id,
  company: company.name,
});

function show(
  done: Record<string, unknown>,
  left: { ledger_entries: number; accounts: ReturnType<typeof carrier>[] },
  json: true | undefined,
): void {
  if (json) return printJson({ ...done, left });
  printFacts({ ...done, ledger_entries_that_stay: left.ledger_entries });
  if (left.ledger_entries > 0) note(STAYS);
  if (left.accounts.length === 0) return;
  note(
    'These accounts still carry the number. They are the companies’ records: ask each to remove it in its ERP.',
  );
  printTable(left.accounts);
}
