import { tooManyCodes } from '../domain/too-many-codes';
import { readCodeActivity } from '../store/codes/code-activity';
import { type Alert, raiseAlert, resolveAlert } from '../store/alerts/alerts';
import type { Channel } from '../store/channels/channels';
import type { Store } from '../store/store';

/** Alerts to codes of a channel's links that are asked for or guessed beyond measure (docs/contract.md O6). */
export async function watchCodes(
  store: Store,
  channels: Pick<Channel, '_id' | 'name'>[],
  open: Alert[],
  now: Date,
): Promise<void> {
  const slugs = channels.map(({ _id }) => _id);
  const hours = await readCodeActivity(store, slugs, now);
  for (const { _id: slug, name } of channels) {
    const found = hours.flatMap(({ channel, counts }) => (channel === slug ? tooManyCodes(counts) : []));
    const alert = open.find(({ channel, class: kind }) => channel === slug && kind === 'codes');
    if (found[0]) {
      const message = `Links of ${name}: ${found[0]}`;
      await raiseAlert(store, { channel: slug, class: 'codes', subject: undefined, message }, now);
    } else if (alert) await resolveAlert(store, alert._id, `Links of ${name}: codes are as usual`, now);
  }
}
