import { type Channel, pauseChannel } from '../store/channels/channels';
import { noteForCustomer } from '../store/alerts/customer-notices';
import { type Asker, type Parts, recordAction, type Result } from './record-action';

/** Nothing more is sent to the channel's customer until it is resumed; nothing is lost. */
export async function pause(
  parts: Parts,
  channel: Channel,
  asker: Asker & { reason: string },
): Promise<Result | undefined> {
  const { _id: slug, state, paused } = channel;
  const before = { state, paused_because: paused?.reason ?? null };
  return recordAction(parts, asker, { action: 'pause', channel: slug, before }, async () => {
    await pauseChannel(parts.store, slug, asker.reason);
    const told = { _id: `paused/${asker.action_id}`, type: 'channel.paused', data: {} } as const;
    await noteForCustomer(parts.store, channel, told);
    const signalled = await parts.temporal.settingsChanged(slug, 'paused');
    const outcome = signalled
      ? 'Nothing more is sent until it is resumed.'
      : 'Temporal does not answer: the pause holds all the same, from the next page on.';
    return { outcome, signalled };
  });
}
