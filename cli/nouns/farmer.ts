import { type Command, InvalidArgumentError } from 'commander';
import { type Erased, eraseFarmer, eraseNamed } from '../../control/erase-farmer';
import type { Parts } from '../../control/record-action';
import { unlockPhone } from '../../store/codes/attempt-counts';
import { findSignIns } from '../../store/codes/forget-sign-ins';
import { farmersNamed, readErasures } from '../../store/consent/erasures';
import { phoneHashes } from '../../store/consent/farmers';
import { findTraces } from '../../store/consent/farmers-traces';
import type { Store } from '../../store/store';
import { CliError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { parsePhoneArgument, parseText } from '../../client/parse-options';
import { type Output, note } from '../../client/print';
import { hasHead, readHeadsFile } from '../read-heads';
import { dryRun } from '../dry-run';

type Preview = Awaited<ReturnType<typeof preview>>;

const STAYS =
  'The entries of the ledger stay, as evidence that the records were shared with permission; nothing links them to the phone any more.';
const CARRIERS =
  'These accounts still carry the number. They are the companies’ records: ask each to remove it in its ERP.';

export function farmerCommands(farmer: Command, { changes }: Envelope): void {
  changes(
    farmer
      .command('unlock')
      .description('let a phone ask for codes and enter them again, where too many were')
      .argument('<phone>', 'its ten digits', parsePhoneArgument),
    async ({ preparedStore, record }, phone: string) => {
      const store = await preparedStore();
      const phone_ending = phone.slice(-2);
      // Records nothing of the phone, as the record outlives the erasure of a farmer.
      await record({ channel: null, before: {} }, () => unlockPhone(store, phone));
      return { facts: { phone_ending, unlocked: true } };
    },
  );
  changes(
    farmer
      .command('erase')
      .description('end all that a farmer shares and forget whose it was; says what stays, and why')
      .argument('[phone]', 'their number', parsePhoneArgument)
      .option(
        '--from-heads <file>',
        'after a restore, instead of a number: erase again whom the heads of the ledger, as they were posted, name; - is standard input',
      )
      .requiredOption(
        '--reason <text>',
        'who asked and how you know; kept, so never with their name or number',
        parseText,
      )
      .addOption(dryRun('only print what would be done'))
      .option('--yes', 'do not ask'),
    (call: Call, phone: string | undefined, options: EraseOptions) => {
      const { fromHeads } = options;
      if (fromHeads !== undefined && phone === undefined) return eraseAgain(call, fromHeads, options);
      if (fromHeads === undefined && phone !== undefined) return erase(call, phone, options);
      throw new InvalidArgumentError('Give either their number or --from-heads <file>.');
    },
  );
}

interface EraseOptions {
  fromHeads?: string;
  reason: string;
  dryRun?: boolean;
}

async function erase(call: Call, phone: string, { reason, dryRun = false }: EraseOptions): Promise<Output> {
  const found = await preview(await call.preparedStore(), phone);
  if (!dryRun && isNothing(found)) note('Nothing is left to erase.');
  if (dryRun || isNothing(found)) return shown({ dry_run: dryRun, ...counts(found) }, found);
  await call.confirm(`${consequence(found)} Continue?`);
  const erased = await recordErasing(call, counts(found), (parts) =>
    eraseFarmer(parts, phone, { ...call.asker, reason }),
  );
  return shown(erased, found);
}

async function recordErasing(
  call: Call,
  before: Record<string, number>,
  eraseBy: (parts: Parts) => Promise<Erased>,
): Promise<Omit<Erased, 'signalled'>> {
  const { signalled, ...erased } = await call.record(
    { channel: null, before },
    async (store) => eraseBy({ store, temporal: await call.temporal() }),
    ({ revoked, subscriptions }) => `Revoked ${revoked}, erased ${subscriptions} subscriptions.`,
  );
  if (!signalled) note('Temporal does not answer: the revokes hold all the same, from the next page on.');
  return erased;
}

async function eraseAgain(
  call: Call,
  file: string,
  { reason, dryRun = false }: EraseOptions,
): Promise<Output> {
  const store = await call.preparedStore();
  const text = readHeadsFile(file);
  const read = await readErasures(store, text);
  if ('wrong' in read) throw new CliError(`${read.wrong}; nothing was erased`, FROM_HEADS_ADVICE);
  const named = read.hashes.length;
  if (named === 0 && !hasHead(text))
    throw new CliError('the file has neither heads nor erasures', FROM_HEADS_ADVICE);
  const farmers = (await farmersNamed(store, read.hashes)).size;
  if (dryRun) return { facts: { dry_run: true, named, farmers } };
  if (named > 0)
    await call.confirm(`This erases ${farmers} farmers again, whom the backup has brought back. Continue?`);
  const erased = await recordErasing(call, { named, farmers }, (parts) =>
    eraseNamed(parts, read.hashes, { ...call.asker, reason }),
  );
  return { facts: { named, ...erased } };
}

const FROM_HEADS_ADVICE =
  'give everything that this service has posted as `ledger.heads` since before the backup, or its worker has logged';

async function preview(store: Store, phone: string) {
  return { ...(await findTraces(store, phone)), ...(await findSignIns(store, phoneHashes(store, phone))) };
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

function shown(done: Record<string, number | boolean>, { entries, accounts: carriers }: Preview): Output {
  const accounts = carriers.map(({ id, company }) => ({ account: id, company: company.name }));
  return {
    json: { ...done, left: { ledger_entries: entries, accounts } },
    facts: { ...done, ledger_entries_that_stay: entries },
    notes: [...(entries > 0 ? [STAYS] : []), ...(accounts.length > 0 ? [CARRIERS] : [])],
    table: accounts,
  };
}
