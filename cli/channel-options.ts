import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNEL_SETTINGS } from '../control/all-channel-settings';
import type { ChannelSetting, Settable } from '../control/channel-setting';
import { Flawed } from '../control/deed';
import { DEFAULT_ENTITY_TYPES, isSlug } from '../domain/settings/channel';
import type { OutboundRule } from '../domain/settings/denied-address';
import type { ChannelSettings } from '../store/channels/channels';
import type { SentSecrets } from '../store/channels/sent-secrets';
import type { ChannelChanges } from '../store/channels/set-channel';
import { UsageError } from '../client/cli-error';
import { parseInstantOption } from '../client/parse-options';
import { secretLines } from './secret-lines';

type Door = 'add' | 'set';

/** The options by name: those of the settings, and others. */
type Given = Record<string, unknown>;

export type ChannelOptions = Given & { allCompanies?: true; since?: Date | 'now'; unsignedLinks?: true };

/** The argument and the options of `gdx channel add` (docs/contract.md C19). */
export const channelOptions = (command: Command): Command =>
  settingOptions('add', command)
    .argument('<channel>', 'its slug: lower case letters, digits and inner hyphens', parseSlug)
    .option('--all-companies', 'the records of every company, those added later too')
    .option('--since <now|instant>', 'start with changes from then on (default: everything)', parseSince)
    .option('--unsigned-links', 'in production: make no key, so that anybody can make its links to farmers');

export type ChangeOptions = Given & { untested?: true };

/** The argument and the options of `gdx channel set`. */
export const changeOptions = (command: Command): Command =>
  settingOptions('set', command)
    .argument('<channel>', 'its slug')
    .option('--untested', 'post no test page to a new base URL');

const rowsOf = (door: Door) => CHANNEL_SETTINGS.filter(([, { only = door }]) => only === door);

function settingOptions(door: Door, command: Command): Command {
  for (const [, row] of rowsOf(door)) {
    command.addOption(optionOf(door, row));
    if (row.fromFile)
      command.option(`${flagOf(row)}-file <file>`, row.fromFile, (file) => readLines(row, file));
  }
  return command;
}

function optionOf(door: Door, row: ChannelSetting): Option {
  const { choices, usual, written } = row;
  const [flags, says, saysOfSet = says] = row.option;
  const hasOff = door === 'set' && row.off !== undefined;
  const option = new Option(hasOff ? flags.replace('>', '|off>') : flags, door === 'add' ? says : saysOfSet);
  if (choices) option.choices(choices);
  if (row.read)
    option.argParser((text, before) =>
      hasOff && text === OFF ? OFF : readText(row, text, before === OFF ? undefined : before),
    );
  if (door === 'add' && usual !== undefined) option.default(usual, written?.(usual));
  return option.makeOptionMandatory(door === 'add' && row.isNeeded === true);
}

const OFF = 'off';

const flagOf = ({ option: [flags] }: ChannelSetting) => flags.replace(/ .*/, '');

function readText(row: ChannelSetting, text: string, before: unknown): unknown {
  const value = row.read!(text, before);
  if (value instanceof Flawed) throw new InvalidArgumentError(value.flaw.says);
  return value;
}

function readLines(row: ChannelSetting, file: string): unknown {
  const lines = secretLines(file);
  if (!Array.isArray(row.usual) && lines.length !== 1)
    throw new InvalidArgumentError('The file must hold one line.');
  return lines.reduce<unknown>((before, line) => readText(row, line, before), row.usual);
}

/** The settings that are given. @throws CliError for what is not allowed, or is given twice */
function settingsIn(door: Door, options: Given, rules: OutboundRule): Partial<Settable> {
  const given = rowsOf(door).map(([name, row]) => [name, valueOf(row, options, rules)]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function valueOf(row: ChannelSetting, options: Given, rules: OutboundRule): unknown {
  const flag = flagOf(row);
  const name = new Option(flag).attributeName();
  const { [name]: typed, [`${name}File`]: filed } = options;
  if (filed !== undefined && typed !== undefined && typed !== row.usual)
    throw new UsageError(`${flag} and ${flag}-file exclude each other`, 'leave one of them out');
  const value = filed ?? typed;
  if (value === OFF && row.off !== undefined) return row.off;
  const checked = value === undefined ? undefined : (row.check?.(value, rules) ?? value);
  if (!(checked instanceof Flawed)) return checked;
  throw new UsageError(checked.flaw.says, checked.flaw.advice ?? `correct ${flag}`);
}

/**
 * The changed settings: only those that were given.
 * @throws CliError for an address that is not allowed
 */
export const channelChanges = (options: ChangeOptions, rules: OutboundRule): ChannelChanges =>
  settingsIn('set', options, rules);

/**
 * The settings to store for a new channel.
 * @throws CliError for an address that is not allowed
 */
export function channelSettings(options: ChannelOptions, rules: OutboundRule): ChannelSettings & SentSecrets {
  const given = settingsIn('add', options, rules) as ChannelSettings;
  return {
    ...given,
    base_url: whereTo(given),
    entity_types: given.entity_types ?? [...DEFAULT_ENTITY_TYPES[given.scope]],
    companies: companies(given, options),
  };
}

/** Pages are posted to a base URL, or collected by the customer. */
function whereTo({ delivery, base_url }: Partial<ChannelSettings>): string {
  if (base_url !== undefined && delivery !== 'pull') return base_url;
  if (base_url !== undefined)
    throw new UsageError('--base-url and --delivery pull exclude each other', 'leave one of them out');
  if (delivery === 'pull') return '';
  throw new UsageError(
    'no destination for its pages is given',
    'say --base-url <url>, or --delivery pull if the customer collects them',
  );
}

/**
 * The companies of a channel; none for every company. That has to be said, as it gives away what others push
 * (docs/contract.md C19).
 */
function companies({ companies: named }: ChannelSettings, { allCompanies }: ChannelOptions): string[] {
  if (named.length > 0 !== Boolean(allCompanies)) return named;
  const problem = allCompanies ? '--company and --all-companies exclude each other' : 'no company is named';
  throw new UsageError(problem, 'say --company <id>, once or more, or --all-companies');
}

/** @throws CliError when farmers could not read what the customer does with their records */
export function requirePurpose({ scope, purpose, passes_on }: ChannelSettings): void {
  if (scope === 'all' || (purpose && passes_on)) return;
  throw new UsageError(
    `farmers have to read what the customer gets their records for${purpose ? ', and to whom it may pass them on' : ''}`,
    'say --purpose en=... --purpose es=... and --passes-on <name>, or --passes-on nobody',
  );
}

function parseSlug(text: string): string {
  if (isSlug(text)) return text;
  throw new InvalidArgumentError('Use 1 to 63 lower case letters, digits and inner hyphens, like acme.');
}

const parseSince = (text: string): Date | 'now' => (text === 'now' ? 'now' : parseInstantOption(text));
