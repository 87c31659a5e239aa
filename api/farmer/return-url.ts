import type { FarmerLink } from '../../store/sessions/farmer-sessions';

const NOT_ASCII = /[^\x21-\x7e]+/gu;

/**
 * The customer's address that the farmer returns to. The outcome is added to its query; the rest is the same byte for
 * byte (docs/contract.md F12). Only characters that a header cannot carry are percent-encoded.
 */
export function returnUrl(link: FarmerLink, status: 'saved' | 'unchanged' | 'cancelled'): string {
  const { origin, pathname, hash } = new URL(link.callback_url);
  const own = /^[^?#]*\?([^#]*)/.exec(link.callback_url)?.[1]?.replace(NOT_ASCII, encodeURIComponent) ?? '';
  const between = own === '' || own.endsWith('&') ? '' : '&';
  const outcome = `status=${status}&partner_id=${encodeURIComponent(link.partner_id)}`;
  return `${origin}${pathname}?${own}${between}${outcome}${hash}`;
}
