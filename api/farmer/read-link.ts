import { msNow, timeNow } from '../../domain/time/elapsed';
import { isSlug } from '../../domain/settings/channel';
import { callbackUrl, displayName, partnerId, wellFormedUrl } from '../../domain/consent/link-parts';
import {
  LINK_PARTS,
  type LinkPart,
  type SignedValues,
  whyRefused,
} from '../../domain/consent/link-signature';
import { findChannel, type Channel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import type { FarmerLink } from '../../store/sessions/farmer-sessions';
import { liveLinkKeys } from '../../store/secrets/link-keys';

/**
 * A valid link; or its invalid parts, with the channel if that part is valid; or the reason why its signature is
 * refused.
 */
type ReadLink =
  | { link: FarmerLink; phone: string }
  | { broken: LinkPart[]; channel: Channel | undefined }
  | { refused: 'unsigned' | 'over'; channel: Channel };

export async function readLink(store: Store, query: string): Promise<ReadLink> {
  const given = new URLSearchParams(query);
  const only = (part: LinkPart | 'expires' | 'signature') => {
    const values = given.getAll(part);
    return values.length === 1 ? (values[0] as string) : '';
  };
  const slug = only('partner_slug');
  const found = isSlug(slug) ? await findChannel(store, slug) : null;
  // A channel of scope `all` gets every record, so farmers have nothing to choose.
  const channel = found?.scope === 'subscribed' ? found : null;
  const parts = {
    callback_url: channel
      ? callbackUrl(only('callback_url'), channel.callback_origins)
      : wellFormedUrl(only('callback_url')),
    display_name: displayName(only('display_name')),
    partner_id: partnerId(only('partner_id')),
    partner_slug: channel?._id,
    phone: /^\d{10}$/.exec(only('phone'))?.[0],
  };
  const broken = LINK_PARTS.filter((part) => parts[part] === undefined);
  if (!channel || broken.length > 0) return { broken, channel: channel ?? undefined };
  const keys = await liveLinkKeys(store, channel._id, timeNow());
  const values = Object.fromEntries([...LINK_PARTS, 'expires' as const].map((part) => [part, only(part)]));
  const refused = keys && whyRefused(keys, values as SignedValues, only('signature'), msNow());
  if (refused) return { refused, channel };
  const { callback_url, display_name, partner_id, phone } = parts as Record<LinkPart, string>;
  const link = { channel: channel._id, callback_url, display_name, partner_id, signed: keys !== undefined };
  return { link, phone };
}
