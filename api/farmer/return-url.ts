import type { FarmerLink } from '../../store/sessions/farmer-sessions';

/** The customer's address that the farmer returns to, with the outcome (docs/contract.md F12). */
export function returnUrl(link: FarmerLink, status: 'saved' | 'unchanged' | 'cancelled'): string {
  const url = new URL(link.callback_url);
  url.searchParams.set('status', status);
  url.searchParams.set('partner_id', link.partner_id);
  return url.href;
}
