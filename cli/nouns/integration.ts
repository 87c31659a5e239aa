import { timeNow } from '../../domain/time/elapsed';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isCompanyId, isTestCompany } from '../../domain/records/company-id';
import { readPassedField } from '../../domain/records/passed-field';
import { sayInterval } from '../../domain/records/push-rhythm';
import {
  addIntegration,
  listIntegrations,
  revokeToken,
  rotateToken,
  setTimeZone,
} from '../../store/callers/integrations';
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
import { describeIntegration, findIntegration, requireIntegration } from '../require-stored';
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

interface AddOptions {
  companyId: string;
  company: string;
  name: string;
  timeZone?: string;
  sameCompany?: true;
}

export function integrationCommands(integration: Command, envelope: Envelope): void {
  const { reads, changes } = envelope;
  changes(
    integration
      .command('add')
      .description('allow an ERP to push; prints its token once')
      .requiredOption('--company-id <id>', 'the company whose records it pushes', parseCompanyId)
      .requiredOption('--company <name>', 'the company’s name, as customers see it', parseText)
      .option('--name <name>', 'which of the company’s ERPs this is', parseText, 'erp')
      .addOption(timeZoneOption())
      .option('--same-company', 'the company id is in use under another name, and it is the same company'),
    add,
  );
  reads(integration.command('list').description('the ERPs allowed to push'), list);
  integrationCheck(integration, envelope);
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
      .argument('<integration>', 'its id'),
    rotate,
  );
  changes(
    revokeOptions(integration.command('revoke'))
      .description('revoke tokens of an ERP, within 5 seconds')
      .argument('<integration>', 'its id'),
    revoke,
  );
}

async function add(call: Call, { companyId, company, name, timeZone, sameCompany }: AddOptions) {
  const names = await otherNamesOf(await call.preparedStore(), companyId, company);
  if (names.length > 0 && !sameCompany) throw inUse(companyId, names, company);
  const about = `${name} of company ${companyId}, ${company}`;
  const { integration, token } = await call.record({ channel: null, about, before: { names } }, (store) =>
    addIntegration(store, {
      name,
      company: { id: companyId, name: company },
      ...(timeZone !== undefined && { time_zone: timeZone }),
    }),
  );
  note('The token is shown only once: put it into the ERP now.');
  await noteLetter(call);
  return { facts: { id: integration._id, token } };
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
  for (const integration of await listIntegrations(store)) {
    const uses = await lastUses(store, integration.token_hashes);
    table.push({
      id: integration._id,
      name: integration.name,
      company_id: integration.company.id,
      company: integration.company.name,
      time_zone: integration.time_zone ?? null,
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

async function rotate(call: Call, id: string, options: RotateOptions) {
  const integration = await findIntegration(call, id);
  const about = describeIntegration(integration);
  if (options.revokeOld) await call.confirm(rotateEffect('token', about));
  const change = { channel: null, about, before: tokensBefore(integration) };
  const { token, old_token_ends_at } = await call.record(change, async (store) => {
    const rotated = await rotateToken(store, id, keepMs(options)).catch(
      unlessTwoLive(`gdx integration revoke ${id} --old`),
    );
    return requireIntegration(rotated, id);
  });
  note('The token is shown only once: put it into the ERP now.');
  return { facts: { id, token, old_token_ends_at } };
}

async function revoke(call: Call, id: string, options: RevokeOptions) {
  const which = whichToRevoke(options);
  const integration = await findIntegration(call, id);
  const holder = describeIntegration(integration);
  await call.confirm(revokeEffect(which, 'token', holder));
  const change = { channel: null, about: `${which} of ${holder}`, before: tokensBefore(integration) };
  await call.record(change, async (store) =>
    requireIntegration((await revokeToken(store, id, which)) || null, id),
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
