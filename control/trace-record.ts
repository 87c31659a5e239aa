import type { EntityType } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import { forCustomers } from '../domain/deliveries/for-customers';
import { type Channel, listChannels } from '../store/channels/channels';
import { type Place, requestsAt, traceRecord } from '../store/digest/trace-record';
import type { Store } from '../store/store';

/** Where a record stands with one channel, for whoever asks. */
export interface Whereabouts {
  channel: string;
  outcome: Place['outcome'];
  /** Whole sentences. */
  says: string;
  /** The delivery that it came with, or is in; null where it is not known. */
  delivery: string | null;
  /** Of the page that waits for the customer. */
  webhook_id: string | null;
}

/** One record, and where it stands. */
export interface Trace {
  id: string;
  pushed_at: Date;
  deleted_at: Date | null;
  /** The requests that may have pushed it; null for customers, as is the position. */
  requests: string[] | null;
  position: number | null;
  channels: Whereabouts[];
}

interface Asked {
  type: EntityType;
  id: string;
}

/** For operators: where a record stands with these channels, or with all. @returns undefined where no ERP has pushed it */
export async function traceForOperator(
  store: Store,
  asked: Asked,
  channels?: Channel[],
): Promise<Trace | undefined> {
  const all = channels ?? (await listChannels(store));
  const found = await traceRecord(store, asked, all);
  if (!found) return undefined;
  const { record, places } = found;
  const { _id: id, updated_at: pushed_at, deleted_at, position } = record;
  const requests = await requestsAt(store, record);
  const told = all.map((channel) => {
    const subject = { ...NAMES, who: channel.name, slug: channel._id };
    const place = places.get(channel._id)!;
    return whereabouts(channel, place, {
      ...asked,
      ...subject,
      isDeleted: deleted_at !== null || place.isGone,
    });
  });
  return { id, pushed_at, deleted_at, requests, position, channels: told };
}

// What tells a customer that the record is there, although it may not have it.
const NOT_THEIRS: readonly Place['outcome'][] = [
  'company_not_carried',
  'type_not_carried',
  'not_shared',
  'before_grant',
];

/**
 * For a customer: where a record stands with its channel. @returns undefined where there is none, or it is not the channel's: one
 * answer for both
 */
export async function traceForCustomer(
  store: Store,
  asked: Asked,
  channel: Channel,
): Promise<Trace | undefined> {
  const found = await traceRecord(store, asked, [channel]);
  const place = found?.places.get(channel._id);
  if (!found || !place || NOT_THEIRS.includes(place.outcome)) return undefined;
  const { _id: id, updated_at: pushed_at } = found.record;
  // What has left all that is shared is deleted, as far as the customer learns.
  const deleted_at = found.record.deleted_at ?? (place.isGone ? pushed_at : null);
  const told = whereabouts(channel, place, { ...asked, ...YOU, isDeleted: deleted_at !== null });
  return { id, pushed_at, deleted_at, requests: null, position: null, channels: [told] };
}

/** The words for whom the channel is, and for what is to be done. */
interface Words extends Asked {
  who: string;
  isOperator: boolean;
  /** What goes out is its deletion. */
  isDeleted: boolean;
  slug: string;
  /** Who collects its pages confirms them by a request. */
  isPull: boolean;
}
const NAMES = { isOperator: true };
const YOU = { who: 'you', isOperator: false, slug: '' };

const whereabouts = (
  { _id: channel, delivery }: Channel,
  place: Place,
  words: Omit<Words, 'isPull'>,
): Whereabouts => ({
  channel,
  outcome: place.outcome,
  says: sayPlace(place, { ...words, isPull: delivery === 'pull' }),
  delivery: 'delivery' in place ? place.delivery : null,
  webhook_id: 'webhook_id' in place ? place.webhook_id : null,
});

const MOST_NAMED = 3;

function named(accounts: string[]): string {
  const more = accounts.length > MOST_NAMED ? ` and ${accounts.length - MOST_NAMED} more` : '';
  return `account ${accounts.slice(0, MOST_NAMED).join(', ')}${more}`;
}

function sayPlace(place: Place, { who, isOperator, isDeleted, isPull, slug, type, id }: Words): string {
  const forOperator = (says: string) => (isOperator ? ` ${says}` : '');
  const resend = `\`gdx resend ${slug} ${type} ${id}\` sends it again.`;
  switch (place.outcome) {
    case 'company_not_carried':
      return 'Never: the channel does not carry its company.';
    case 'type_not_carried':
      return `Never: the channel does not carry ${type}.`;
    case 'not_shared':
      return place.accounts.length === 0
        ? `Never, as it is now: it names no account, so no farmer can share it with ${who}.`
        : `Never, as it is now: no farmer shares ${named(place.accounts)} with ${who}.`;
    case 'before_grant':
      return `Not before it changes: ${named(place.accounts)} is shared without its earlier records.`;
    case 'before_since':
      return `Not sent by itself before it changes: the channel began after its last change.${forOperator(resend)}`;
    case 'set_aside': {
      const { at, status, answer } = place;
      const answered =
        status === 0 ? 'did not answer to it' : `answered ${status} to it${answer ? `: “${answer}”` : ''}`;
      const release = `\`gdx set-aside release ${slug} ${id}\` sends it again.`;
      return `Set aside on ${formatInstant(at)}: ${who} ${answered}. It is sent again once it changes, or is released.${forOperator(release)}`;
    }
    case 'paused':
      return `Not yet: the channel is paused (${isOperator ? place.reason : forCustomers(place.reason)}). It is sent once the channel is resumed.`;
    case 'held_back':
      return `Not yet: ${who} asked for time until ${formatInstant(place.at)} (Retry-After).`;
    case 'asked_again':
      return `Not yet: it was asked for again on ${formatInstant(place.at)}, and goes out with the next run.`;
    case 'catch_up_not_begun':
      return `Not yet: the catch-up of ${named(place.accounts)} has not begun.`;
    case 'catch_up':
      return `Not yet: it is in the catch-up of ${named(place.accounts)}, which has begun.`;
    case 'page_waits':
      return `Not yet: its page ${place.webhook_id} waits for ${who} to confirm it.`;
    case 'in_delivery': {
      const answered =
        place.answered === null
          ? ''
          : ` The last answer: ${isOperator ? place.answered : forCustomers(place.answered)}.`;
      return `Not yet: it is in ${place.delivery}, which is in progress.${answered}`;
    }
    case 'above_ceiling':
      return `Not yet: it changed after ${place.delivery} had begun, and comes with the delivery after that.`;
    case 'waiting': {
      const due = place.at ? ` at ${formatInstant(place.at)}` : '';
      return `Not yet: it waits for the next run${due}.${forOperator(`\`gdx channel show ${slug}\` says what keeps it.`)}`;
    }
    case 'confirmed': {
      const { delivery, at } = place;
      const when = at ? `, which ended at ${formatInstant(at)}` : '';
      const how = delivery
        ? `with ${delivery}${when}`
        : 'by a catch-up or a resend, or with a delivery that is no longer known';
      return `Delivered: ${who} ${isPull ? 'confirmed' : 'answered 2xx to'} ${isDeleted ? 'its deletion' : 'it'}, ${how}.${forOperator(`Where they lost it, ${resend}`)}`;
    }
  }
}
