import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkBaseUrl, checkCallbackOrigin, checkNotifyUrl } from '../domain/settings/base-url';
import { CADENCE_MS, formatCadence, parseCadence } from '../domain/deliveries/cadence';
import {
  DEFAULT_ENTITY_TYPES,
  isSlug,
  PAGE_SIZE_RANGE,
  type Scope,
  SCOPES,
} from '../domain/settings/channel';
import { isCompanyId } from '../domain/records/company-id';
import type { OutboundRule } from '../domain/settings/denied-address';
import { ENTITY_TYPES, type EntityType, isEntityType } from '../domain/records/entity-types';
import { MOST_HEADERS, type OwnHeader, readOwnHeader } from '../domain/settings/own-header';
import type { ChannelSettings } from '../store/channels/channels';
import type { SentSecrets } from '../store/channels/sent-secrets';
import type { ChannelChanges } from '../store/channels/set-channel';
import { AUTHORIZATION_FILE, HEADER_FILE, secretLines } from './secret-lines';
import { UsageError } from '../client/cli-error';
import { collect, parseInstantOption, parseText, wholeNumber } from '../client/parse-options';
import { purposeOf, type PurposeOptions, purposeOptions } from './purpose-options';

const PAGE_SIZES = `${PAGE_SIZE_RANGE.min} to ${PAGE_SIZE_RANGE.max}`;
const parsePageSize = wholeNumber(PAGE_SIZE_RANGE.min, PAGE_SIZE_RANGE.max, `Use ${PAGE_SIZES} records.`);

export interface ChannelOptions extends PurposeOptions {
  name: string;
  delivery?: 'push' | 'pull';
  baseUrl?: string;
  scope: Scope;
  entities?: EntityType[];
  company: string[];
  allCompanies?: true;
  since?: Date | 'now';
  /** Milliseconds. */
  cadence: number;
  pageSize: number;
  authorization?: string;
  authorizationFile?: string;
  header: OwnHeader[];
  headerFile?: OwnHeader[];
  callbackOrigin: string[];
  gzip?: boolean;
  unsignedLinks?: true;
}

/** The argument and the options of `gdx channel add` (docs/contract.md C19). */
export function channelOptions(command: Command): Command {
  return purposeOptions(command)
    .argument('<channel>', 'its slug: lower case letters, digits and inner hyphens', parseSlug)
    .requiredOption('--name <name>', 'the customer’s name, as farmers and operators see it', parseText)
    .addOption(deliveryOption())
    .option('--base-url <url>', 'pages are posted to <url>/feed')
    .addOption(new Option('--scope <scope>', 'every record, or shared ones').choices(SCOPES).default('all'))
    .option('--entities <types>', `comma-separated, of ${ENTITY_TYPES.join(',')}`, parseEntities)
    .option('--company <id>', 'a company whose records it carries; repeatable', collectCompany, [])
    .option('--all-companies', 'the records of every company, those added later too')
    .option('--since <now|instant>', 'start with changes from then on (default: everything)', parseSince)
    .addOption(
      new Option('--cadence <interval>', '1s to 24h')
        .argParser(parseCadenceOption)
        .default(CADENCE_MS.default, formatCadence(CADENCE_MS.default)),
    )
    .option('--page-size <records>', PAGE_SIZES, parsePageSize, PAGE_SIZE_RANGE.default)
    .option('--authorization <key>', 'sent to the customer with every page', parseAuthorization)
    .option('--authorization-file <file>', AUTHORIZATION_FILE, readAuthorization)
    .option('--header <line>', 'another header, as `X-Api-Key: ...`; repeatable', collectHeader, [])
    .option('--header-file <file>', HEADER_FILE, readHeaders)
    .option('--callback-origin <origin>', 'origin that farmers may return to; repeatable', collect, [])
    .option('--gzip <on|off>', 'compress every page (default: off)', parseSwitch)
    .option('--unsigned-links', 'in production: make no key, so that anybody can make its links to farmers');
}

/** What `gdx channel set` can change. */
export type ChangeOptions = Partial<
  Omit<ChannelOptions, 'scope' | 'company' | 'allCompanies' | 'since' | 'unsignedLinks'>
> & { contact?: string; notifyUrl?: string; endRequired?: boolean; untested?: true };

/** The argument and the options of `gdx channel set`: those of `add` that can change later, without defaults. */
export function changeOptions(command: Command): Command {
  return purposeOptions(command)
    .argument('<channel>', 'its slug')
    .option('--name <name>', 'the customer’s name, as farmers and operators see it', parseText)
    .option('--contact <text>', 'contact for farmers, such as a phone number', parseText)
    .option('--notify-url <url|off>', 'where the customer is told of failures, pauses and grants')
    .option('--end-required <on|off>', 'farmers have to choose a day on which sharing ends', parseSwitch)
    .addOption(deliveryOption())
    .option('--base-url <url>', 'pages are posted to <url>/feed; it has to take a test page first')
    .option('--untested', 'post no test page to a new base URL')
    .option('--entities <types>', `comma-separated, of ${ENTITY_TYPES.join(',')}`, parseEntities)
    .option('--cadence <interval>', '1s to 24h', parseCadenceOption)
    .option('--page-size <records>', PAGE_SIZES, parsePageSize)
    .option(
      '--callback-origin <origin>',
      'where its farmers may return to; repeatable, replaces all',
      collect,
    )
    .option('--authorization <key>', 'sent to the customer with every page', parseAuthorization)
    .option('--authorization-file <file>', AUTHORIZATION_FILE, readAuthorization)
    .option(
      '--header <line|off>',
      'another header, as `X-Api-Key: ...`; repeatable, replaces all',
      collectHeaders,
    )
    .option('--header-file <file>', HEADER_FILE, readHeaders)
    .option('--gzip <on|off>', 'compress every page', parseSwitch);
}

const deliveryOption = () =>
  new Option('--delivery <how>', 'pages are posted (push), or the customer collects them (pull)').choices([
    'push',
    'pull',
  ]);

function parseSlug(text: string): string {
  if (isSlug(text)) return text;
  throw new InvalidArgumentError('Use 1 to 63 lower case letters, digits and inner hyphens, like acme.');
}

function parseEntities(text: string): EntityType[] {
  const named = text.split(',').map((type) => type.trim());
  if (named.every(isEntityType)) return ENTITY_TYPES.filter((type) => named.includes(type));
  throw new InvalidArgumentError(`Use some of ${ENTITY_TYPES.join(',')}.`);
}

function collectCompany(text: string, before: string[]): string[] {
  if (isCompanyId(text)) return collect(text, before);
  throw new InvalidArgumentError('It is not a company id: `gdx integration list` shows them.');
}

function parseSince(text: string): Date | 'now' {
  return text === 'now' ? 'now' : parseInstantOption(text);
}

function parseCadenceOption(text: string): number {
  const cadence = parseCadence(text);
  if (cadence !== undefined) return cadence;
  const [min, max] = [formatCadence(CADENCE_MS.min), formatCadence(CADENCE_MS.max)];
  throw new InvalidArgumentError(`Use ${min} to ${max}, like 30s, 15m or 1h.`);
}

// It becomes a header: visible ASCII and inner blanks only, so that it cannot inject another header.
function parseAuthorization(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw new InvalidArgumentError('Use visible ASCII characters only.');
}

function collectHeader(text: string, before: OwnHeader[]): OwnHeader[] {
  const read = readOwnHeader(text);
  if ('problem' in read) throw new InvalidArgumentError(`It ${read.problem}.`);
  if (before.some(({ name }) => name.toLowerCase() === read.name.toLowerCase()))
    throw new InvalidArgumentError(`${read.name} is named twice.`);
  if (before.length === MOST_HEADERS) throw new InvalidArgumentError(`There are more than ${MOST_HEADERS}.`);
  return [...before, read];
}

function readAuthorization(file: string): string {
  const [line, ...more] = secretLines(file);
  if (line === undefined || more.length > 0) throw new InvalidArgumentError('The file must hold one line.');
  return parseAuthorization(line);
}

function readHeaders(file: string): OwnHeader[] {
  const none: OwnHeader[] = [];
  return secretLines(file).reduce((before, line) => collectHeader(line, before), none);
}

/** @throws CliError when one of them is given both as an option and by a file */
function secretsOf(
  given: Pick<ChangeOptions, 'authorization' | 'authorizationFile' | 'header' | 'headerFile'>,
) {
  for (const name of ['authorization', 'header'] as const)
    if (given[name] !== undefined && given[`${name}File`] !== undefined)
      throw new UsageError(`--${name} and --${name}-file exclude each other`, 'leave one of them out');
  const authorization = given.authorization ?? given.authorizationFile;
  const headers = given.header ?? given.headerFile;
  return { ...(authorization !== undefined && { authorization }), ...(headers && { headers }) };
}

const collectHeaders = (text: string, before: OwnHeader[] = []) =>
  text === 'off' ? [] : collectHeader(text, before);

function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('Use on or off.');
}

/**
 * The settings to store for a new channel.
 * @throws CliError for an address that is not allowed
 */
export function channelSettings(options: ChannelOptions, rules: OutboundRule): ChannelSettings & SentSecrets {
  const { header: _, ...withoutHeader } = options;
  return {
    name: options.name,
    ...whereTo(options, rules),
    scope: options.scope,
    entity_types: options.entities ?? [...DEFAULT_ENTITY_TYPES[options.scope]],
    companies: companies(options),
    cadence_ms: options.cadence,
    page_size: options.pageSize,
    callback_origins: checkedOrigins(options.callbackOrigin, rules),
    ...(options.gzip && { gzip: true }),
    ...purposeOf(options),
    ...secretsOf(options.header.length > 0 ? options : withoutHeader),
  };
}

/**
 * The changed settings: only those that were given.
 * @throws CliError for an address that is not allowed
 */
export function channelChanges(options: ChangeOptions, rules: OutboundRule): ChannelChanges {
  const { name, contact, endRequired, entities, cadence, pageSize, callbackOrigin, gzip } = options;
  return {
    ...(name !== undefined && { name }),
    ...(contact !== undefined && { contact }),
    ...(options.notifyUrl !== undefined && { notify_url: notifyUrl(options.notifyUrl, rules) }),
    ...(endRequired !== undefined && { end_required: endRequired }),
    ...purposeOf(options),
    ...(options.delivery && { delivery: options.delivery }),
    ...(options.baseUrl !== undefined && { base_url: baseUrl(options.baseUrl, rules) }),
    ...(entities && { entity_types: entities }),
    ...(cadence !== undefined && { cadence_ms: cadence }),
    ...(pageSize !== undefined && { page_size: pageSize }),
    ...secretsOf(options),
    ...(gzip !== undefined && { gzip }),
    ...(callbackOrigin && { callback_origins: checkedOrigins(callbackOrigin, rules) }),
  };
}

/** Pages are posted to a base URL, or collected by the customer. */
function whereTo({ delivery, baseUrl: given }: ChannelOptions, rules: OutboundRule) {
  if (given !== undefined) {
    if (delivery !== 'pull') return { base_url: baseUrl(given, rules) };
    const problem = '--base-url and --delivery pull exclude each other';
    throw new UsageError(problem, 'leave one of them out');
  }
  if (delivery === 'pull') return { delivery, base_url: '' };
  throw new UsageError(
    'no destination for its pages is given',
    'say --base-url <url>, or --delivery pull if the customer collects them',
  );
}

function baseUrl(text: string, rules: OutboundRule): string {
  const checked = checkBaseUrl(text, rules);
  if ('baseUrl' in checked) return checked.baseUrl;
  throw new UsageError(`the base URL ${checked.problem}`, 'correct --base-url');
}

function notifyUrl(text: string, rules: OutboundRule): string {
  const checked = text === 'off' ? { notifyUrl: '' } : checkNotifyUrl(text, rules);
  if ('notifyUrl' in checked) return checked.notifyUrl;
  throw new UsageError(`the notification address ${checked.problem}`, 'correct --notify-url');
}

/**
 * The companies of a channel; none for every company. That has to be said, as it gives away what others push
 * (docs/contract.md C19).
 */
function companies({ company, allCompanies }: ChannelOptions): string[] {
  if (company.length > 0 !== Boolean(allCompanies)) return company;
  const problem = allCompanies ? '--company and --all-companies exclude each other' : 'no company is named';
  throw new UsageError(problem, 'say --company <id>, once or more, or --all-companies');
}

const checkedOrigins = (texts: string[], rules: OutboundRule): string[] =>
  texts.map((text) => {
    const checked = checkCallbackOrigin(text, rules);
    if ('origin' in checked) return checked.origin;
    throw new UsageError(`the callback origin ${checked.problem}`, 'correct --callback-origin');
  });
