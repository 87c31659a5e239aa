import { checkBaseUrl } from '../domain/base-url';
import { checkCallbackOrigin } from '../domain/callback-origin';
import { DEFAULT_ENTITY_TYPES } from '../domain/channel';
import type { OutboundRule } from '../domain/denied-address';
import type { ChannelSettings } from '../store/channels';
import type { ChannelChanges } from '../store/set-channel';
import type { ChangeOptions, ChannelOptions } from './channel-options';
import { EXIT } from './exit-codes';
import { Failure } from './failure';

/**
 * What is stored of a new channel.
 * @throws Failure for an address that the rules refuse
 */
export function channelSettings(
  options: ChannelOptions,
  rules: OutboundRule,
): ChannelSettings & { authorization?: string } {
  return {
    name: options.name,
    base_url: baseUrl(options.baseUrl, rules),
    scope: options.scope,
    entity_types: options.entities ?? [...DEFAULT_ENTITY_TYPES[options.scope]],
    companies: options.company,
    cadence_ms: options.cadence,
    page_size: options.pageSize,
    callback_origins: options.callbackOrigin.map((origin) => checkedOrigin(origin, rules)),
    ...(options.gzip && { gzip: true }),
    ...(options.authorization !== undefined && { authorization: options.authorization }),
  };
}

/**
 * What is stored of a channel's changes: only what was named.
 * @throws Failure for an address that the rules refuse
 */
export function channelChanges(options: ChangeOptions, rules: OutboundRule): ChannelChanges {
  const { name, contact, entities, cadence, pageSize, callbackOrigin, authorization, gzip } = options;
  return {
    ...(name !== undefined && { name }),
    ...(contact !== undefined && { contact }),
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

function baseUrl(text: string, rules: OutboundRule): string {
  const checked = checkBaseUrl(text, rules);
  if ('baseUrl' in checked) return checked.baseUrl;
  throw new Failure(`the base URL ${checked.problem}`, 'correct --base-url', EXIT.usage);
}

function checkedOrigin(text: string, rules: OutboundRule): string {
  const checked = checkCallbackOrigin(text, rules);
  if ('origin' in checked) return checked.origin;
  throw new Failure(`the callback origin ${checked.problem}`, 'correct --callback-origin', EXIT.usage);
}
