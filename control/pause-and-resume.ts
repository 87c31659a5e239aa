import { noteForCustomer } from '../store/alerts/customer-notices';
import { type Channel, pauseChannel, resumeChannel } from '../store/channels/channels';
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

/** Delivers again from where the customer left off. A wait in progress, such as a Retry-After, is not cut short. */
export async function resume(parts: Parts, channel: Channel, asker: Asker): Promise<Result | undefined> {
  const { _id: slug, state, paused } = channel;
  const before = { state, paused_because: paused?.reason ?? null };
  return recordAction(parts, asker, { action: 'resume', channel: slug, before }, async () => {
    const wasPaused = (await resumeChannel(parts.store, slug))?.state === 'paused';
    const told = { _id: `resumed/${asker.action_id}`, type: 'channel.resumed', data: {} } as const;
    if (wasPaused) await noteForCustomer(parts.store, channel, told);
    const signalled = await parts.temporal.settingsChanged(slug, 'resumed');
    if (!wasPaused) return { outcome: 'It was not paused: it runs as before.', signalled };
    const outcome = signalled
      ? 'It continues from where the customer left off: now, or when the customer’s wait expires.'
      : 'Temporal does not answer: it runs when Temporal is back and it is due.';
    return { outcome, signalled };
  });
}
