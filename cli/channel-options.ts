import { InvalidArgumentError, Option, type Command } from 'commander';
import { CADENCE_MS, formatCadence, parseCadence } from '../domain/cadence';
import { isSlug, PAGE_SIZE_RANGE, SCOPES, type Scope } from '../domain/channel';
import { isCompanyId } from '../domain/company-id';
import { ENTITY_TYPES, isEntityType, type EntityType } from '../domain/entity-types';
import { parseInstantOption, parseText } from './parse-options';

export interface ChannelOptions {
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
  callbackOrigin: string[];
  gzip?: boolean;
  reason?: string;
  json?: true;
}

/** The argument and the options of `gdx channel add` (docs/contract.md C19). */
export function channelOptions(command: Command): Command {
  return command
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
    .option(
      '--page-size <records>',
      `${PAGE_SIZE_RANGE.min} to ${PAGE_SIZE_RANGE.max}`,
      parsePageSize,
      PAGE_SIZE_RANGE.default,
    )
    .option('--authorization <key>', 'sent to the customer with every page', parseAuthorization)
    .option('--callback-origin <origin>', 'origin that farmers may return to; repeatable', collect, [])
    .option('--gzip <on|off>', 'compress every page (default: off)', parseSwitch);
}

/** What `gdx channel set` can change. */
export type ChangeOptions = Partial<
  Pick<
    ChannelOptions,
    | 'name'
    | 'delivery'
    | 'baseUrl'
    | 'entities'
    | 'cadence'
    | 'pageSize'
    | 'callbackOrigin'
    | 'authorization'
    | 'gzip'
    | 'reason'
    | 'json'
  >
> & { contact?: string; notifyUrl?: string; endRequired?: boolean; untested?: true };

/** The argument and the options of `gdx channel set`: those of `add` that can change later, without defaults. */
export function changeOptions(command: Command): Command {
  return command
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
    .option('--page-size <records>', `${PAGE_SIZE_RANGE.min} to ${PAGE_SIZE_RANGE.max}`, parsePageSize)
    .option(
      '--callback-origin <origin>',
      'where its farmers may return to; repeatable, replaces all',
      collectMore,
    )
    .option('--authorization <key>', 'sent to the customer with every page', parseAuthorization)
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

function parsePageSize(text: string): number {
  const size = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  if (size >= PAGE_SIZE_RANGE.min && size <= PAGE_SIZE_RANGE.max) return size;
  throw new InvalidArgumentError(`Use ${PAGE_SIZE_RANGE.min} to ${PAGE_SIZE_RANGE.max} records.`);
}

// It becomes a header: visible ASCII and inner blanks only, so that it cannot inject another header.
function parseAuthorization(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw new InvalidArgumentError('Use visible ASCII characters only.');
}

function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('Use on or off.');
}

function collect(text: string, before: string[]): string[] {
  return before.includes(text) ? before : [...before, text];
}

const collectMore = (text: string, before: string[] = []) => collect(text, before);
