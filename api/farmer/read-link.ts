import { isSlug } from '../../domain/channel';
import { plain } from '../../domain/masked';
import { findChannel, type Channel } from '../../store/channels';
import type { Store } from '../../store/connect';
import type { FarmerLink } from '../../store/farmer-sessions';

/** The five parameters, all required, each given once (contract 5). */
export const LINK_PARTS = ['callback_url', 'display_name', 'partner_id', 'partner_slug', 'phone'] as const;

export type LinkPart = (typeof LINK_PARTS)[number];

const LONGEST = { url: 2048, name: 80, partnerId: 128 };
const CONTROL = /\p{Cc}/u;

/** A link that can be followed, or the parts that are broken and the channel it may still be for. */
export type ReadLink =
  { link: FarmerLink; phone: string } | { broken: LinkPart[]; channel: Channel | undefined };

export async function readLink(store: Store, query: string): Promise<ReadLink> {
  const given = new URLSearchParams(query);
  const only = (part: LinkPart) => {
    const values = given.getAll(part);
    return values.length === 1 ? (values[0] as string) : '';
  };
  const slug = only('partner_slug');
  const found = isSlug(slug) ? await findChannel(store, slug) : null;
  // One of scope `all` gets every record: there is nothing to choose, and a farmer must not agree to less than happens.
  const channel = found?.scope === 'subscribed' ? found : null;
  const parts = {
    callback_url: channel ? callbackUrl(only('callback_url'), channel) : wellFormedUrl(only('callback_url')),
    display_name: displayName(only('display_name')),
    partner_id: partnerId(only('partner_id')),
    partner_slug: channel?._id,
    phone: /^\d{10}$/.exec(only('phone'))?.[0],
  };
  const broken = LINK_PARTS.filter((part) => parts[part] === undefined);
  if (!channel || broken.length > 0) return { broken, channel: channel ?? undefined };
  const { callback_url, display_name, partner_id, phone } = parts as Record<LinkPart, string>;
  return { link: { channel: channel._id, callback_url, display_name, partner_id }, phone };
}

/** Decided by the origin that a browser would go to, not by how the text begins (farmer page). */
function callbackUrl(text: string, channel: Channel): string | undefined {
  const url = wellFormedUrl(text);
  return url && channel.callback_origins.includes(new URL(url).origin) ? url : undefined;
}

function wellFormedUrl(text: string): string | undefined {
  if (text.length > LONGEST.url || !/^https?:\/\/[^/\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text)) {
    return undefined;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && !url.username && !url.password ? url.href : undefined;
}

function displayName(text: string): string | undefined {
  const cleaned = plain(text).replace(/\s+/g, ' ');
  return Array.from(cleaned).slice(0, LONGEST.name).join('').trim() || undefined;
}

/** Opaque; but bytes that are no UTF-8 would all look the same, and two partners' farmers must never meet. */
function partnerId(text: string): string | undefined {
  const { length } = Array.from(text);
  const fits = length >= 1 && length <= LONGEST.partnerId;
  return fits && !CONTROL.test(text) && !text.includes('\ufffd') ? text : undefined;
}
