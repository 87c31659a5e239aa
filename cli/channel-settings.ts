import { checkBaseUrl, type BaseUrlRules } from '../domain/base-url';
import { checkCallbackOrigin } from '../domain/callback-origin';
import { DEFAULT_ENTITY_TYPES } from '../domain/channel';
import type { ChannelSettings } from '../store/channels';
import type { ChannelOptions } from './channel-options';
import { EXIT } from './exit-codes';
import { Failure } from './failure';

/**
 * What is stored of a new channel.
 * @throws Failure for an address that the rules refuse
 */
export function channelSettings(
  options: ChannelOptions,
  rules: BaseUrlRules,
): ChannelSettings & { authorization?: string } {
  return {
    name: options.name,
    base_url: baseUrl(options.baseUrl, rules),
    scope: options.scope,
    entity_types: options.entities ?? [...DEFAULT_ENTITY_TYPES[options.scope]],
    companies: options.company,
    cadence_ms: options.cadence,
    page_size: options.pageSize,
    callback_origins: options.callbackOrigin.map((origin) => callbackOrigin(origin, rules)),
    ...(options.authorization !== undefined && { authorization: options.authorization }),
  };
}

function baseUrl(text: string, rules: BaseUrlRules): string {
  const checked = checkBaseUrl(text, rules);
  if ('baseUrl' in checked) return checked.baseUrl;
  throw new Failure(`the base URL ${checked.problem}`, 'correct --base-url', EXIT.usage);
}

function callbackOrigin(text: string, rules: BaseUrlRules): string {
  const checked = checkCallbackOrigin(text, rules);
  if ('origin' in checked) return checked.origin;
  throw new Failure(`the callback origin ${checked.problem}`, 'correct --callback-origin', EXIT.usage);
}
