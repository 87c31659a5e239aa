import { timeIn, timeNow } from '../domain/time/elapsed';
import { callbackUrl, partnerId } from '../domain/consent/link-parts';
import { signLink } from '../domain/consent/link-signature';
import { parsePhone } from '../domain/text/parse-phone';
import { DAY_MS } from '../domain/time/spans';
import { withoutEndSlashes } from '../domain/text/without-end-slashes';
import type { Channel } from '../store/channels/channels';
import { liveLinkKeys } from '../store/secrets/link-keys';
import type { Store } from '../store/store';
import { deed, flaw, Refused } from './deed';
import { typedField } from './fields';
import { recordAction } from './record-action';

/** For whom a link is, as the customer knows them. */
interface LinkAsked {
  partnerId: string;
  /** ten digits */
  phone: string;
  /** Where the farmer returns to; empty: to the first callback origin. */
  callbackUrl: string;
  days: number;
}

type MadeLink = { link: string; expires_at: Date };

/** Why there is no link: the channel gets everything, has no key or no callback origin, or the URL is foreign to its origins. */
export type NoLink = 'everything' | 'keyless' | 'no origin' | 'foreign';

/** A farmer's link as the customer's own system would make it, for one who cannot program. Nothing of the farmer is stored. */
export async function makeFarmerLink(
  store: Store,
  { _id: slug, name, scope, callback_origins: origins }: Channel,
  { partnerId: partner_id, phone, callbackUrl: given, days }: LinkAsked,
  publicUrl: string,
): Promise<MadeLink | NoLink> {
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

const wrong = (says: string) => flaw(says, { isWhole: true });

const WHY_NONE: Record<NoLink, [field: string, says: string]> = {
  everything: ['phone', 'your channel gets every record without a farmer’s grant'],
  keyless: ['phone', 'your channel has no key to sign links with: ask the operator for one'],
  'no origin': [
    'callback_url',
    'no address to return to is set for your channel: ask the operator to add one',
  ],
  foreign: ['callback_url', 'the address must be at one that the operator knows as yours'],
};

/** The link from the customer's page. Its record does not name the farmer. */
export const farmerLink = deed<MadeLink>()({
  name: 'link',
  recorded: 'channel link',
  input: {
    partner_id: typedField(
      { label: 'What you know the farmer by', input: { type: 'text', required: true, maxLength: 128 } },
      (typed: string) => partnerId(typed) ?? wrong('enter what you know the farmer by, up to 128 characters'),
    ),
    phone: typedField(
      { label: 'The farmer’s phone', input: { type: 'tel', required: true } },
      (typed: string) => parsePhone(typed) ?? wrong('enter ten digits, or eleven with a leading 1'),
    ),
    callback_url: typedField(
      {
        label: 'Where the farmer returns to',
        input: { type: 'url' },
        filled: ({ callback_origins: [origin = ''] }) => origin,
      },
      (typed: string) => typed,
    ),
    days: typedField(
      { label: 'Days that it works', input: { type: 'number', required: true }, filled: () => '30' },
      (typed: string) =>
        /^\d{1,3}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= 366
          ? Number(typed)
          : wrong('enter 1 to 366 days'),
    ),
  },
  page: {
    doors: ['channel'],
    title: 'A link for a farmer',
    says:
      'With it the farmer proves the phone by a code, and chooses the accounts that you get. Neither phone nor what you ' +
      'know them by is kept until then.',
    done: 'Made a link for a farmer',
    isOffered: ({ scope }) => scope === 'subscribed',
    own: {
      link: 'Make a link for a farmer',
      button: 'Make the link',
      made: ({ link, expires_at }) => ({
        title: 'A link for a farmer',
        says: 'Send this link to the farmer, and to nobody else.',
        facts: { Link: link, 'Works until': expires_at },
      }),
      again: 'This form was already sent. Send it again to make another link',
    },
  },
  async run({ store, pages }, channel, { partner_id: partnerId, callback_url: callbackUrl, ...rest }, asker) {
    const made = await makeFarmerLink(store, channel, { partnerId, callbackUrl, ...rest }, pages!.publicUrl);
    if (typeof made === 'string') {
      const [field, says] = WHY_NONE[made];
      throw new Refused(field, { says, isWhole: true });
    }
    const action = { action: 'channel link', channel: channel._id, before: {} } as const;
    return recordAction({ store }, asker, action, async () => ({
      ...made,
      outcome: 'Done.',
      signalled: true,
    }));
  },
});
