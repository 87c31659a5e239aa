import type { UpdateFilter } from 'mongodb';
import type { CodeStatus } from '../../domain/deliveries/code-status';
import type { Store } from '../store';
import { HOUR_MS } from '../../domain/time/spans';

/** In place of a channel's slug, for the codes of the page "who sees my grain data". No slug has a slash. */
export const SHARING_CODES = 'service/sharing';

/** The outcomes of the codes of one channel's links, or of `SHARING_CODES`, within one hour of the clock. */
interface CodeActivity {
  _id: string;
  channel: string;
  hour: Date;
  counts?: Partial<Record<CodeStatus, number>>;
  /** Companies that have a proven phone on more than 25 names. */
  crowded?: string[];
  expires_at: Date;
}

const KEPT_MS = 48 * HOUR_MS;

const activity = (store: Store) => store.db.collection<CodeActivity>('code_activity');

export const codeActivityIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

const idOf = (channel: string, hour: Date) => `${channel}/${hour.toISOString()}`;
const hourOf = (at: Date) => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

export async function noteCodeActivity(
  store: Store,
  channel: string,
  status: CodeStatus,
  at: Date,
): Promise<void> {
  await note(store, channel, { $inc: { [`counts.${status}`]: 1 } }, at);
}

/** Notes the companies that have put a phone on so many names that it is nobody's (docs/contract.md O6). */
export async function noteCrowded(
  store: Store,
  channel: string,
  companies: string[],
  at: Date,
): Promise<void> {
  await note(store, channel, { $addToSet: { crowded: { $each: companies } } }, at);
}

async function note(
  store: Store,
  channel: string,
  update: UpdateFilter<CodeActivity>,
  at: Date,
): Promise<void> {
  const hour = hourOf(at);
  const expires_at = new Date(hour.getTime() + KEPT_MS);
  const _id = idOf(channel, hour);
  await activity(store).updateOne(
    { _id },
    { ...update, $setOnInsert: { channel, hour, expires_at } },
    { upsert: true },
  );
}

/** The activity of these channels in this hour and in the one before, so that what happened just before the hour counts as well. */
export async function readCodeActivity(store: Store, channels: string[], at: Date): Promise<CodeActivity[]> {
  const hours = [hourOf(at), hourOf(new Date(at.getTime() - HOUR_MS))];
  const ids = channels.flatMap((channel) => hours.map((hour) => idOf(channel, hour)));
  return activity(store)
    .find({ _id: { $in: ids } })
    .toArray();
}
