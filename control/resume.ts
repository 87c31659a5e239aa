import { type Channel, resumeChannel } from '../store/feed/channels';
import { type Asker, type Parts, recordAction, type Result } from './record-action';

/** Delivers again, at once, from where the customer left off. */
export async function resume(
  parts: Parts,
  { _id: slug, state, paused }: Channel,
  asker: Asker,
): Promise<Result | undefined> {
  const before = { state, paused_because: paused?.reason ?? null };
  return recordAction(parts, asker, { action: 'resume', channel: slug, before }, async () => {
    await resumeChannel(parts.store, slug);
    const signalled = await parts.temporal.settingsChanged(slug, 'resumed');
    const outcome = signalled
      ? 'It delivers now, from where the customer left off.'
      : 'Temporal does not answer: it runs when Temporal is back and it is due.';
    return { outcome, signalled };
  });
}
