import { type Command, Option } from 'commander';
import { count } from '../../domain/records/count';
import { hasCome, timeIn } from '../../domain/time/elapsed';
import { formatInstant } from '../../domain/time/instants';
import { DAY_MS } from '../../domain/time/spans';
import { type Ending, endings } from '../../store/callers/endings';
import { type Integration, isPushed, listIntegrations } from '../../store/callers/integrations';
import { listCarriers } from '../../store/consent/subscriptions';
import { closeIntegration } from '../../store/sharing/close-integration';
import { awaitedBy, countEnding, highestOf, listGrantedOfEnding } from '../../store/sharing/erase-records'; // prettier-ignore
import type { Store } from '../../store/store';
import { CliError, UsageError } from '../../client/cli-error';
import { parseText, wholeNumber } from '../../client/parse-options';
import { ask, type Call, type Envelope } from '../envelope';
import { describeIntegration, integrationEvenClosed, integrationsOf } from '../require-stored';
import { dryRun } from '../dry-run';

const USUAL_DAYS = 30;

interface CloseOptions {
  vendor?: string;
  after?: number;
  now?: true;
  records?: number;
  dryRun?: true;
  yes?: true;
  reason: string;
}

export function integrationClose(integration: Command, { changes }: Envelope): void {
  changes(
    integration
      .command('close')
      .description(
        'end an ERP for good: its tokens end at once; later its company’s records are deleted at customers, then erased',
      )
      .argument('[integration]', 'its id')
      .option('--vendor <name>', 'all ERPs of a vendor instead', parseText)
      .addOption(
        new Option('--after <days>', `when records are deleted and erased; ${USUAL_DAYS} days if not said`)
          .argParser(wholeNumber(1, 3_650))
          .conflicts('now'),
      )
      .option('--now', 'delete and erase at once; asks for the number of records')
      .addOption(
        new Option('--records <number>', 'their number, for scripts that say --now').argParser(
          wholeNumber(0, 1e12),
        ),
      )
      .addOption(dryRun('only say what would happen, or how far it is'))
      .option('--yes', 'do not ask')
      .requiredOption('--reason <text>', 'why, for whoever looks next', parseText),
    close,
  );
}

async function close(call: Call, id: string | undefined, options: CloseOptions) {
  if (id !== undefined && options.vendor !== undefined)
    throw new UsageError('an ERP and a vendor are named', 'say its id, or --vendor');
  const all =
    id === undefined
      ? await integrationsOf(call, options.vendor, { evenClosed: true })
      : [await integrationEvenClosed(call, id)];
  if (!options.dryRun) await closeAll(call, all, options);
  const found = [];
  for (const one of all) found.push(await closingOf(await call.store(), one, all));
  if (id === undefined)
    return { json: { data: found }, table: found, notes: found.filter(isKept).map(sayClosing) };
  return { facts: found[0]!, notes: [sayClosing(found[0]!)] };
}

async function closeAll(call: Call, all: Integration[], options: CloseOptions): Promise<void> {
  const { now, after, reason } = options;
  const store = await call.store();
  const { records } = await countAll(store, all);
  const what = all.length === 1 ? describeIntegration(all[0]!) : count(all.length, 'ERP');
  const does = `Every token of ${what} ends now, and ${count(records, 'record')} are deleted at customers and erased`;
  if (now) await expectNumber(call, `${does} at once.`, records, options);
  else await call.confirm(`${does} in ${after ?? USUAL_DAYS} days. Continue?`);
  const about = all.length === 1 ? what : `${what} of ${options.vendor}`;
  await call.record({ channel: null, about, before: { records } }, async (to) => {
    for (const { _id, closed } of all) {
      const isAsked = now !== undefined || after !== undefined;
      const usual = timeIn(now ? 0 : (after ?? USUAL_DAYS) * DAY_MS);
      await closeIntegration(to, _id, { reason, erase_at: isAsked ? usual : (closed?.erase_at ?? usual) });
    }
  });
}

async function countAll(store: Store, all: Integration[]) {
  const companies = new Map(all.map(({ company }) => [company.id, company]));
  let records = 0;
  for (const company of companies.values()) records += (await countEnding(store, { company })).records;
  return { records };
}

/** Nobody erases at once by a habit: the number is typed, or given by a script. */
async function expectNumber(call: Call, does: string, records: number, options: CloseOptions): Promise<void> {
  const isAsked = options.records === undefined && !call.json && process.stdin.isTTY;
  const answer = isAsked && (await ask(`${does} Type the number of records:`)).replace(/[\s,]/g, '');
  const typed = isAsked ? Number(answer || NaN) : options.records;
  if (typed === undefined)
    throw new UsageError('--now erases at once', 'add --records with their number; --dry-run says it');
  if (typed !== records)
    throw new CliError(
      `there are ${count(records, 'record')}: nothing was changed`,
      'look at them again by --dry-run',
    );
}

type Closing = Awaited<ReturnType<typeof closingOf>>;

/** What ends with an ERP, or how far that is. */
async function closingOf(store: Store, { _id }: Integration, closing: Integration[]) {
  const open = await listIntegrations(store);
  const one = await integrationEvenClosed({ store: async () => store }, _id);
  const { company, closed = null } = one;
  const ending = await endings(store).findOne({ _id: company.id });
  const others = open.filter(
    (other) => other.company.id === company.id && !closing.some((its) => its._id === other._id),
  );
  const isEnding = ending !== null && !(await isPushed(store, company.id));
  const waits_for = isEnding ? await awaitedBy(store, ending, await highestOf(store, ending)) : [];
  return {
    id: _id,
    name: one.name,
    state: stateOf(closed, ending, isEnding),
    company_id: company.id,
    company: ending?.company.name ?? company.name,
    // A company that is kept has no such time.
    erase_at: ending ? (isEnding ? ending.erase_at : null) : (closed?.erase_at ?? null),
    ...(await countEnding(store, { company })),
    grants: (await listGrantedOfEnding(store, { company })).length,
    channels: (await listCarriers(store, company.id)).map(({ _id: slug }) => slug),
    waits_for,
    kept_by: others.map((other) => other._id),
  };
}

function stateOf(closed: Integration['closed'] | null, ending: Ending | null, isEnding: boolean): string {
  if (!closed) return 'open';
  if (!ending) return 'erased';
  if (!isEnding) return 'kept';
  if (!hasCome(ending.erase_at)) return 'waits';
  return ending.told_at ? 'erasing' : 'deleting';
}

const isKept = ({ state, kept_by }: Closing) => kept_by.length > 0 && state !== 'erased';

/** What comes next, for whoever closes their first. */
function sayClosing(closing: Closing): string {
  const { state, company, company_id, records, erase_at, waits_for, kept_by } = closing;
  if (isKept(closing)) return `${company} stays until its other ERPs are closed: ${kept_by.join(', ')}.`;
  if (state === 'open')
    return `Nothing has changed. Without --dry-run its tokens end at once; ${count(records, 'record')} are deleted at customers and erased ${USUAL_DAYS} days later, or as --after and --now say.`;
  if (state === 'waits')
    return `Nothing else ends before ${formatInstant(erase_at!)}. Until then \`gdx integration add --company-id ${company_id}\` keeps the company, and --after moves the time.`;
  return sayEnding(state, waits_for);
}

/** How far the end of a company or of a record is. */
export function sayEnding(state: string, waits_for: string[]): string {
  if (state === 'erased') return 'Nothing of it is left.';
  const again = 'It goes on once a minute: --dry-run says how far it is.';
  if (state === 'erasing')
    return `Customers have the deletions; it ends in about a quarter of an hour. ${again}`;
  return waits_for.length > 0
    ? `Not confirmed yet by ${waits_for.join(', ')}. ${again}`
    : `Nothing is erased before customers have confirmed its deletion. ${again}`;
}
