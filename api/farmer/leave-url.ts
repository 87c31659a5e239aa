import type { FarmerLink } from '../../store/farmer-sessions';

/** Where the farmer goes on to: the customer's address, with what has come of it (farmer page). */
export function leaveUrl(link: FarmerLink, status: 'saved' | 'unchanged' | 'cancelled'): string {
  const url = new URL(link.callback_url);
  url.searchParams.set('status', status);
  url.searchParams.set('partner_id', link.partner_id);
  return url.href;
}
