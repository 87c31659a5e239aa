import { timeNow } from '../../domain/time/elapsed';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isCompanyId, isTestCompany } from '../../domain/records/company-id';
import { readPassedField } from '../../domain/records/passed-field';
import { sayInterval } from '../../domain/records/push-rhythm';
import {
  addIntegration,
  companyNames,
  isPushed,
  listEvenClosedIntegrations,
  listIntegrations,
  integrationTokens,
  setTimeZone,
} from '../../store/callers/integrations';
import { count } from '../../domain/records/count';
import { listDue } from '../../store/callers/endings';
import { TwoTokensLive } from '../../store/callers/token-holders';
import { lastUses } from '../../store/callers/token-use';
import { setAccess } from '../../store/channels/set-access';
import { type PushSummary, readPushActivity, stopWatching } from '../../store/push/push-activity';
import { listPassedFields, setPassedFields } from '../../store/sharing/passed-fields';
import type { Store } from '../../store/store';
import { CliError, UsageError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { noteLetter } from '../note-letter';
import { parseText } from '../../client/parse-options';
import { note } from '../../client/print';
import { isTimeZone } from '../../client/push/read-dates';
import { describeIntegration, findIntegration, integrationsOf, requireIntegration } from '../require-stored';
import {
  accessChanges,
  accessFacts,
  type AccessOptions,
  accessOptions,
  keepMs,
  nothingToChange,
  revokeEffect,
  type RevokeOptions,
  revokeOptions,
  rotateEffect,
  type RotateOptions,
  rotateOptions,
  tokensBefore,
  unlessTwoLive,
  whichToRevoke,
} from '../token-options';
import { integrationCheck } from './integration-check';
import { integrationClose } from './integration-close';
import { missingOf, readCompanies, tokenFile, USUAL_NAME, type Wanted } from './integrations-from';

interface AddOptions {
  companyId?: string;
  company?: string;
  name: string;
  timeZone?: string;
  sameCompany?: true;
  vendor?: string;
  from?: string;
  tokens?: string;
}

export function integrationCommands(integration: Command, envelope: Envelope): void {
  const { reads, changes } = envelope;
  changes(
    integration
      .command('add')
      .description('allow an ERP to push; prints its token once')
      .option('--company-id <id>', 'the company whose records it pushes', parseCompanyId)
      .option('--company <name>', 'the company’s name, as customers see it', parseText)
      .option('--name <name>', 'which of the company’s ERPs this is', parseText, USUAL_NAME)
      .addOption(timeZoneOption())
      .option('--same-company', 'the company id is in use under another name, and it is the same company')
      .option('--vendor <name>', 'who makes or runs the ERP, where one serves many companies', parseText)
      .option('--from <file>', 'the companies of a vendor instead, a CSV: company_id,company,name,time_zone')
      .addOption(tokensOption()),
    add,
  );
  reads(integration.command('list').description('the ERPs allowed to push'), list);
  integrationCheck(integration, envelope);
  integrationClose(integration, envelope);
  changes(
    passFieldOptions(accessOptions(integration.command('set')))
      .addOption(timeZoneOption())
      .description(
        'bind the tokens of an ERP to a time and to addresses, or lift that; declare which of its own fields name nobody; say where its company is',
      )
      .argument('<integration>', 'its id'),
    set,
  );
  changes(
    rotateOptions(integration.command('rotate'))
      .description('create a new token for an ERP, printed once; the previous one stays valid for a while')
      .argument('[integration]', 'its id')
      .option('--vendor <name>', 'all ERPs of a vendor instead', parseText)
      .addOption(tokensOption()),
    rotate,
  );
  changes(
    revokeOptions(integration.command('revoke'))
      .description('revoke tokens of an ERP, within 5 seconds')
      .argument('<integration>', 'its id'),
    revoke,
  );
}

const tokensOption = () =>
  new Option('--tokens <file>', 'where the tokens of many are written: a new file, which only you may read');

async function add(call: Call, options: AddOptions) {
  const { companyId, company, name, timeZone, sameCompany, vendor, from } = options;
  if (from !== undefined) return addFrom(call, from, options);
  if (companyId === undefined || company === undefined)
    throw new UsageError('no company is named', 'say --company-id and --company, or --from companies.csv');
  await refuseErased(await call.preparedStore(), [companyId]);
  const names = await otherNamesOf(await call.preparedStore(), companyId, company);
  if (names.length > 0 && !sameCompany) throw inUse(companyId, names, company);
  const about = `${name} of company ${companyId}, ${company}`;
  const { integration, token } = await call.record({ channel: null, about, before: { names } }, (store) =>
    addIntegration(store, {
      name,
      company: { id: companyId, name: company },
      ...(timeZone !== undefined && { time_zone: timeZone }),
      ...(vendor !== undefined && { vendor }),
    }),
  );
  note('The token is shown only once: put it into the ERP now.');
  await noteLetter(call);
  return { facts: { id: integration._id, token } };
}

/** Adds what is missing of a file: a run that was broken off is completed by the next one. */
async function addFrom(
  call: Call,
  from: string,
  { tokens, vendor, companyId, company, name, timeZone, sameCompany }: AddOptions,
) {
  if ((companyId ?? company ?? timeZone) !== undefined || name !== USUAL_NAME)
    throw new UsageError(
      '--from names the companies',
      'leave out --company-id, --company, --name and --time-zone: its columns say them',
    );
  const wanted = await readCompanies(from, vendor);
  const stored = await listIntegrations(await call.preparedStore());
  if (!sameCompany) refuseOtherNames(wanted, stored);
  await refuseErased(
    await call.store(),
    wanted.map(({ company: { id } }) => id),
  );
  const missing = missingOf(wanted, stored);
  const there = wanted.length - missing.length;
  const facts = { added: missing.length, there_already: there };
  if (missing.length === 0) return { facts, notes: ['Nothing was added: all of them are there already.'] };
  const file = await newTokenFile(tokens);
  const ids = missing.slice(0, NAMED).map(({ company: { id } }) => id);
  const about = `${count(missing.length, 'ERP')}${vendor === undefined ? '' : ` of ${vendor}`}: companies ${ids.join(', ')}${missing.length > NAMED ? ' and more' : ''}`;
  await call
    .record({ channel: null, about, before: {} }, async (store) => {
      for (const one of missing) await addIntegration(store, one, file.keep);
    })
    .finally(file.close);
  await noteLetter(call);
  return { facts: { ...facts, tokens: tokens! } };
}

/** What a new ERP pushes would be deleted with the rest. */
async function refuseErased(store: Store, companies: string[]): Promise<void> {
  const advice = 'wait until `gdx integration close <id> --dry-run` of its closed ERP says erased';
  for (const { _id } of await listDue(store, timeNow()))
    if (companies.includes(_id) && !(await isPushed(store, _id)))
      throw new CliError(`company ${_id} is being erased`, advice);
}

const NAMED = 10;

function newTokenFile(tokens: string | undefined) {
  if (tokens !== undefined) return tokenFile(tokens);
  throw new UsageError(
    'there is no place for the tokens',
    'add --tokens tokens.csv, a file that is not there yet',
  );
}

function refuseOtherNames(wanted: Wanted[], stored: Pick<Wanted, 'company'>[]): void {
  for (const { company } of wanted) {
    const same = [...stored, ...wanted].filter((one) => one.company.id === company.id);
    const others = new Set(same.map((one) => one.company.name).filter((name) => name !== company.name));
    if (others.size > 0) throw inUse(company.id, [...others], company.name);
  }
}

async function otherNamesOf(store: Store, companyId: string, name: string): Promise<string[]> {
  const all = await listIntegrations(store);
  const names = all.flatMap(({ company }) => (company.id === companyId ? [company.name] : []));
  return [...new Set(names)].filter((other) => other !== name);
}

// A typing error in the id would let one company's ERP overwrite the records of another.
const inUse = (companyId: string, names: string[], name: string) =>
  new UsageError(
    `company ${companyId} is ${names.map((other) => `“${other}”`).join(' and ')}, not “${name}”`,
    'correct --company-id or --company; if they are one company, add --same-company',
  );

function parseCompanyId(text: string): string {
  if (isTestCompany(text)) throw new InvalidArgumentError('test. begins the companies of `gdx sandbox`.');
  if (isCompanyId(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots or underscores.');
}

async function list(call: Call) {
  const store = await call.store();
  const pushes = await readPushActivity(store);
  const passed = await listPassedFields(store);
  const table = [];
  const all = await listEvenClosedIntegrations(store);
  const ending = await companyNames(
    store,
    all.flatMap(({ company, closed }) => (closed ? company.id : [])),
  );
  for (const integration of all) {
    const { company, closed } = integration;
    const isKept = all.some((other) => !other.closed && other.company.id === company.id);
    const uses = await lastUses(store, integration.token_hashes);
    table.push({
      id: integration._id,
      name: integration.name,
      company_id: company.id,
      company: (closed && ending.get(company.id)) ?? company.name,
      erase_at: isKept ? null : (closed?.erase_at ?? null),
      time_zone: integration.time_zone ?? null,
      vendor: integration.vendor ?? null,
      ...pushFacts(pushes.get(integration._id)),
      created_at: integration.created_at,
      last_used_at: uses.newest,
      old_last_used_at: uses.old,
      ...accessFacts(integration.access),
      pass_fields: passed.get(integration._id) ?? [],
    });
  }
  return { table, none: 'No integrations yet: `gdx integration add` creates one.' };
}

/** The pushes of an ERP. Records and warnings are those of its last day (UTC). */
function pushFacts(pushed: PushSummary | undefined) {
  const { last_at, usual_ms, silent_at, records, warnings } = pushed ?? {};
  return {
    pushed_at: last_at ?? null,
    usually_within: usual_ms ? sayInterval(usual_ms) : null,
    silent: silent_at ? silent_at <= timeNow() : false,
    day_records: records ?? 0,
    day_warnings: warnings ?? 0,
  };
}

async function set(
  call: Call,
  id: string,
  options: AccessOptions & PassFieldOptions & Pick<AddOptions, 'timeZone'>,
) {
  const access = accessChanges(options);
  const { timeZone } = options;
  if (!access && !options.passField && !options.withholdField && timeZone === undefined)
    throw nothingToChange(', or --pass-field tickets.our_note');
  const integration = await findIntegration(call, id);
  const pass_fields = (await listPassedFields(await call.store())).get(id) ?? [];
  const fields = passFieldChanges(options, pass_fields);
  const about = describeIntegration(integration);
  const time_zone = integration.time_zone ?? null;
  const before = { ...accessFacts(integration.access), pass_fields, time_zone };
  const { changed, passed } = await call.record({ channel: null, about, before }, async (store) => ({
    changed: access ? requireIntegration(await setAccess(store, id, access), id) : integration,
    zone: timeZone !== undefined && (await setTimeZone(store, id, timeZone)),
    passed: fields && (await setPassedFields(store, integration, fields)),
  }));
  const channels = passed?.channels ?? [];
  if (channels.length > 0) note(whatToDo(channels));
  const facts = {
    id,
    ...accessFacts(changed.access),
    pass_fields: passed?.fields ?? pass_fields,
    time_zone: timeZone ?? time_zone,
  };
  return { json: { ...facts, channels }, facts };
}

/** Without a zone, farmers read days without times, and tomorrow is that of the zone where days end last. */
const timeZoneOption = () =>
  new Option(
    '--time-zone <zone>',
    'where the company is, like America/Chicago: for the days and times that its farmers read',
  ).argParser(parseTimeZone);

function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('Use a time zone like America/Chicago.');
}

/**
 * Says how to send records again that customers already hold. Their digests show no difference, as no record
 * has changed.
 */
const whatToDo = (channels: readonly string[]) =>
  `The next page of ${channels.join(', ')} follows this. What these customers hold stays as it was sent; to send it ` +
  'again: `gdx resend <channel> <type> <ids...>`, or all of a type: ' +
  '`gdx marker reset <channel> <type> --timestamp 2016-01-01T00:00:00Z`.';

async function rotate(
  call: Call,
  id: string | undefined,
  options: RotateOptions & Pick<AddOptions, 'vendor' | 'tokens'>,
) {
  if (id === undefined) return rotateAll(call, options);
  if (options.vendor !== undefined || options.tokens !== undefined)
    throw new UsageError('an ERP and a vendor are named', 'say its id, or --vendor and --tokens');
  const integration = await findIntegration(call, id);
  const about = describeIntegration(integration);
  if (options.revokeOld) await call.confirm(rotateEffect('token', about));
  const change = { channel: null, about, before: tokensBefore(integration) };
  const { token, old_ends_at } = await call.record(change, async (store) => {
    const rotated = await integrationTokens
      .rotate(store, id, keepMs(options))
      .catch(unlessTwoLive(`gdx integration revoke ${id} --old`));
    return requireIntegration(rotated, id);
  });
  note('The token is shown only once: put it into the ERP now.');
  return { facts: { id, token, old_token_ends_at: old_ends_at } };
}

/** Those that have two tokens already were rotated lately, perhaps by a run that was broken off: they keep both. */
async function rotateAll(call: Call, options: RotateOptions & Pick<AddOptions, 'vendor' | 'tokens'>) {
  const { vendor, tokens } = options;
  const all = await integrationsOf(call, vendor);
  const about = `${count(all.length, 'ERP')} of ${vendor}`;
  if (options.revokeOld) await call.confirm(rotateEffect('token', about));
  const file = await newTokenFile(tokens);
  const left: string[] = [];
  await call
    .record({ channel: null, about, before: {} }, async (store) => {
      for (const one of all)
        await integrationTokens.rotate(store, one._id, keepMs(options), file.keep).catch((error: unknown) => {
          if (!(error instanceof TwoTokensLive)) throw error;
          left.push(one._id);
        });
    })
    .finally(file.close);
  const facts = { vendor: vendor!, rotated: all.length - left.length, left: left.length, tokens: tokens! };
  const which = `${left.slice(0, NAMED).join(', ')}${left.length > NAMED ? ' and more' : ''}`;
  const notes = left.length === 0 ? [] : [`They have two tokens already, and keep both: ${which}.`];
  return { json: { ...facts, left }, facts, notes };
}

async function revoke(call: Call, id: string, options: RevokeOptions) {
  const which = whichToRevoke(options);
  const integration = await findIntegration(call, id);
  const holder = describeIntegration(integration);
  await call.confirm(revokeEffect(which, 'token', holder));
  const change = { channel: null, about: `${which} of ${holder}`, before: tokensBefore(integration) };
  await call.record(change, async (store) =>
    requireIntegration((await integrationTokens.revoke(store, id, which)) || null, id),
  );
  if (which === 'all') await stopWatching(await call.store(), id);
  return { facts: { id, revoked: which } };
}

interface PassFieldOptions {
  passField?: string[];
  withholdField?: string[];
}

/** Options that say which fields of its own an ERP declares as naming nobody. */
function passFieldOptions(command: Command): Command {
  const pass = new Option(
    '--pass-field <field>',
    'send farmers’ customers a field of the ERP’s own that names nobody, like tickets.our_note; repeatable',
  );
  const withhold = new Option('--withhold-field <field>', 'send it to them no longer; repeatable');
  return command
    .addOption(pass.argParser(collectDeclarable))
    .addOption(withhold.argParser((text: string, before: string[] = []) => [...before, text]));
}

/**
 * The changes by the options; undefined when there are none.
 * @throws CliError when a field is withheld that is not declared
 */
function passFieldChanges(
  { passField: add = [], withholdField: remove = [] }: PassFieldOptions,
  declared: readonly string[],
): { add: string[]; remove: string[] } | undefined {
  const unknown = remove.filter((field) => !declared.includes(field));
  if (unknown.length > 0)
    throw new CliError(
      `${unknown.join(', ')} is not declared`,
      '`gdx integration list` shows which fields are',
    );
  return add.length + remove.length > 0 ? { add, remove } : undefined;
}

function collectDeclarable(text: string, before: string[] = []): string[] {
  const field = readPassedField(text);
  if (typeof field === 'string') throw new InvalidArgumentError(field);
  return [...before, text];
}
