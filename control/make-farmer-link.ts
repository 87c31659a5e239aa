import { timeIn, timeNow } from '../domain/elapsed';
import { callbackUrl } from '../domain/link-parts';
import { signLink } from '../domain/link-signature';
import { DAY_MS } from '../domain/spans';
import { withoutEndSlashes } from '../domain/without-end-slashes';
import type { Channel } from '../store/channels/channels';
import { liveLinkKeys } from '../store/secrets/link-keys';
import type { Store } from '../store/store';

/** For whom a link is, as the customer knows them. */
export interface LinkAsked {
  partnerId: string;
  /** ten digits */
  phone: string;
  /** Where the farmer returns to; empty: to the first callback origin. */
  callbackUrl: string;
  days: number;
}

/** Why there is no link: the channel gets everything, has no key or no callback origin, or the URL is foreign to its origins. */
export type NoLink = 'everything' | 'keyless' | 'no origin' | 'foreign';

/** A farmer's link as the customer's own system would make it, for one who cannot program. Nothing is stored. */
export async function makeFarmerLink(
  store: Store,
  { _id: slug, name, scope, callback_origins: origins }: Channel,
  { partnerId: partner_id, phone, callbackUrl: given, days }: LinkAsked,
  publicUrl: string,
): Promise<{ link: string; expires_at: Date } | NoLink> {
  if (scope === 'all') return 'everything';
  const [key] = (await liveLinkKeys(store, slug, timeNow())) ?? [];
  if (key === undefined) return 'keyless';
  const callback_url = callbackUrl(given || (origins[0] ?? ''), origins);
  if (callback_url === undefined) return given ? 'foreign' : 'no origin';
  const expires_at = timeIn(days * DAY_MS);
  const expires = String(Math.floor(expires_at.getTime() / 1_000));
  const values = { callback_url, display_name: name, partner_id, partner_slug: slug, phone, expires };
  const query = new URLSearchParams({ ...values, signature: signLink(key, values)! });
  return { link: `${withoutEndSlashes(publicUrl)}/subscriptions?${query}`, expires_at };
}
