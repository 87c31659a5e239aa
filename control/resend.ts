import { count } from '../domain/count';
import { type EntityType, WRAPPER_KEYS } from '../domain/entity-types';
import type { Channel } from '../store/channels/channels';
import { type Choice, chooseRecords } from '../store/window/choose-records';
import { releaseForResend } from '../store/deliveries/set-aside';
import { type Asker, type Parts, recordAction, type Result } from './record-action';
import { startOf } from './start-of';

/** A resend of an account's records to this channel is in progress. */
export class ResendInProgress extends Error {
  override name = 'ResendInProgress';
}

// An account may have 100,000 records, and each is written: a process does one such resend at a time for a channel.
const resending = new Set<string>();

/** How many records are sent again, which ids the channel does not get, and when the first page leaves (`startOf`). */
export interface Resending {
  records: number;
  unknown: string[];
  starts: string;
}

interface Asked {
  entityType: EntityType;
  choice: Choice;
}

/**
 * Sends just these records again, without moving a marker; for an account, even those that were corrected away from it.
 * @throws TooManyRecords, ResendInProgress or TooManyActions
 */
export async function resend(
  parts: Parts,
  channel: Channel,
  asked: Asked,
  asker: Asker,
): Promise<(Result & Resending) | undefined> {
  if (!('account' in asked.choice)) return resendChosen(parts, channel, asked, asker);
  if (resending.has(channel._id)) throw new ResendInProgress();
  resending.add(channel._id);
  return resendChosen(parts, channel, asked, asker).finally(() => resending.delete(channel._id));
}

async function resendChosen(
  parts: Parts,
  channel: Channel,
  { entityType, choice }: Asked,
  asker: Asker,
): Promise<(Result & Resending) | undefined> {
  const { store, temporal } = parts;
  const { _id: slug } = channel;
  const chosen = await chooseRecords(store, channel, entityType, choice);
  const { records, unknown } = chosen;
  const said = count(records.length, WRAPPER_KEYS[entityType], entityType);
  const about = 'account' in choice ? `${entityType} of ${choice.account}` : said;
  const action = { action: 'resend', channel: slug, about, before: {} } as const;
  return recordAction(parts, asker, action, async () => {
    await releaseForResend(store, { channel: slug, entity_type: entityType }, records);
    const signalled =
      records.length === 0 || (await temporal.settingsChanged(slug, 'released', asker.request_id));
    const starts = await startOf(parts, channel, entityType, signalled);
    const outcome =
      records.length > 0
        ? `Resends ${said}.`
        : 'None of these records belong to the channel: nothing is sent.';
    return { outcome, signalled, records: records.length, unknown, starts };
  });
}
