import { readHead } from './consents';
import type { Store } from '../store';
import { type Channel, channels } from '../channels/channels';
import { DAY_MS, HOUR_MS } from '../../domain/time/spans';

interface DueHead {
  channel: Pick<Channel, '_id' | 'shares_version'>;
  /** `<channel>/<number>:<hash>` */
  head: string;
}

/** The heads to post now: those that have moved, at most once an hour, and every head once a day. */
export async function readDueHeads(store: Store, channels: Channel[], now: Date): Promise<DueHead[]> {
  const due: DueHead[] = [];
  for (const channel of channels) {
    if (!isDue(channel, now)) continue;
    const head = await readHead(store, channel._id);
    if (head) due.push({ channel, head: `${head._id}:${head.hash}` });
  }
  return due;
}

// Every entry bumps shares_version, in one transaction with it.
function isDue({ shares_version, head_posted: posted }: Channel, now: Date): boolean {
  if (!posted) return shares_version > 0;
  const age = now.getTime() - posted.at.getTime();
  return age >= DAY_MS || (age >= HOUR_MS && shares_version !== posted.shares_version);
}

export async function markHeadsPosted(store: Store, posted: DueHead[], at: Date): Promise<void> {
  for (const { channel } of posted) {
    const { _id, shares_version } = channel;
    await channels(store).updateOne({ _id }, { $set: { head_posted: { shares_version, at } } });
  }
}
