import { type Channel, resumeChannel } from '../store/channels/channels';
import { noteForCustomer } from '../store/alerts/customer-notices';
import { type Asker, type Parts, recordAction, type Result } from './record-action';

/** Delivers again from where the customer left off; waits for the customer's answers go on. */
export async function resume(parts: Parts, channel: Channel, asker: Asker): Promise<Result | undefined> {
  const { _id: slug, state, paused } = channel;
  const before = { state, paused_because: paused?.reason ?? null };
  return recordAction(parts, asker, { action: 'resume', channel: slug, before }, async () => {
    await resumeChannel(parts.store, slug);
    const told = { _id: `resumed/${asker.action_id}`, type: 'channel.resumed', data: {} } as const;
    await noteForCustomer(parts.store, channel, told);
    const signalled = await parts.temporal.settingsChanged(slug, 'resumed');
    const outcome = signalled
      ? 'It continues from where the customer left off: now, or when the customer’s wait expires.'
      : 'Temporal does not answer: it runs when Temporal is back and it is due.';
    return { outcome, signalled };
  });
}
