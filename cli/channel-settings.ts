import { checkBaseUrl, checkNotifyUrl } from '../domain/base-url';
import { checkCallbackOrigin } from '../domain/callback-origin';
import { DEFAULT_ENTITY_TYPES } from '../domain/channel';
import type { OutboundRule } from '../domain/denied-address';
import type { ChannelSettings } from '../store/channels/channels';
import type { ChannelChanges } from '../store/channels/set-channel';
import type { ChangeOptions, ChannelOptions } from './channel-options';
import { EXIT } from './exit-codes';
import { CliError } from './cli-error';

/**
 * The settings to store for a new channel.
 * @throws CliError for an address that is not allowed
 */
export function channelSettings(
  options: ChannelOptions,
  rules: OutboundRule,
): ChannelSettings & { authorization?: string } {
  return {
    name: options.name,
    ...whereTo(options, rules),
    scope: options.scope,
    entity_types: options.entities ?? [...DEFAULT_ENTITY_TYPES[options.scope]],
    companies: companies(options),
    cadence_ms: options.cadence,
    page_size: options.pageSize,
    callback_origins: options.callbackOrigin.map((origin) => checkedOrigin(origin, rules)),
    ...(options.gzip && { gzip: true }),
    ...(options.authorization !== undefined && { authorization: options.authorization }),
  };
}

/**
 * The changed settings: only those that were given.
 * @throws CliError for an address that is not allowed
 */
export function channelChanges(options: ChangeOptions, rules: OutboundRule): ChannelChanges {
  const { name, contact, endRequired, entities, cadence, pageSize, callbackOrigin, authorization, gzip } =
    options;
  return {
    ...(name !== undefined && { name }),
    ...(contact !== undefined && { contact }),
    ...(options.notifyUrl !== undefined && { notify_url: notifyUrl(options.notifyUrl, rules) }),
    ...(endRequired !== undefined && { end_required: endRequired }),
    ...(options.delivery && { delivery: options.delivery }),
    ...(options.baseUrl !== undefined && { base_url: baseUrl(options.baseUrl, rules) }),
    ...(entities && { entity_types: entities }),
    ...(cadence !== undefined && { cadence_ms: cadence }),
    ...(pageSize !== undefined && { page_size: pageSize }),
    ...(authorization !== undefined && { authorization }),
    ...(gzip !== undefined && { gzip }),
    ...(callbackOrigin && {
      callback_origins: callbackOrigin.map((origin) => checkedOrigin(origin, rules)),
    }),
  };
}

/** Pages are posted to a base URL, or collected by the customer. */
function whereTo({ delivery, baseUrl: given }: ChannelOptions, rules: OutboundRule) {
  if (given !== undefined) {
    if (delivery !== 'pull') return { base_url: baseUrl(given, rules) };
    const problem = '--base-url and --delivery pull exclude each other';
    throw new CliError(problem, 'leave one of them out', EXIT.usage);
  }
  if (delivery === 'pull') return { delivery, base_url: '' };
  throw new CliError(
    'where do its pages go?',
    'say --base-url <url>, or --delivery pull if the customer collects them',
    EXIT.usage,
  );
}

function baseUrl(text: string, rules: OutboundRule): string {
  const checked = checkBaseUrl(text, rules);
  if ('baseUrl' in checked) return checked.baseUrl;
  throw new CliError(`the base URL ${checked.problem}`, 'correct --base-url', EXIT.usage);
}

function notifyUrl(text: string, rules: OutboundRule): string {
  const checked = text === 'off' ? { notifyUrl: '' } : checkNotifyUrl(text, rules);
  if ('notifyUrl' in checked) return checked.notifyUrl;
  throw new CliError(`the notification address ${checked.problem}`, 'correct --notify-url', EXIT.usage);
}

/** Stored as none for every company (docs/contract.md C19): it has to be said, since it gives away what others push. */
function companies({ company, allCompanies }: ChannelOptions): string[] {
  if (company.length > 0 !== Boolean(allCompanies)) return company;
  const problem = allCompanies
    ? '--company and --all-companies exclude each other'
    : 'whose records does it carry?';
  throw new CliError(problem, 'say --company <id>, once or more, or --all-companies', EXIT.usage);
}

function checkedOrigin(text: string, rules: OutboundRule): string {
  const checked = checkCallbackOrigin(text, rules);
  if ('origin' in checked) return checked.origin;
  throw new CliError(`the callback origin ${checked.problem}`, 'correct --callback-origin', EXIT.usage);
}
