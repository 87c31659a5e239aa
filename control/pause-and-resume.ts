import { noteForCustomer } from '../store/alerts/customer-notices';
import { pauseChannel, resumeChannel } from '../store/channels/channels';
import { deed } from './deed';
import { recordAction } from './record-action';

const isActive = ({ state }: { state: string }) => state === 'active';

/** Nothing more is sent to the channel's customer until it is resumed. */
export const pause = deed()({
  name: 'pause',
  input: {},
  gdx: {
    words: ['channel', 'pause'],
    says: 'send nothing more to a customer until it is resumed; nothing is lost',
    reason: 'required',
    facts: ({ _id: slug, state, paused }) => ({ slug, state, ...paused }),
  },
  page: {
    doors: ['operator'],
    title: 'Pause',
    says: 'Sends nothing more until it is resumed. Nothing is lost.',
    done: 'Paused',
    isOffered: isActive,
  },
  async run(parts, channel, _, asker) {
    const { _id: slug, state, paused } = channel;
    const before = { state, paused_because: paused?.reason ?? null };
    return recordAction(parts, asker, { action: 'pause', channel: slug, before }, async () => {
      const wasActive = (await pauseChannel(parts.store, slug, asker.reason ?? ''))?.state === 'active';
      const told = { _id: `paused/${asker.action_id}`, type: 'channel.paused', data: {} } as const;
      if (wasActive) await noteForCustomer(parts.store, channel, told);
      const signalled = await parts.temporal.settingsChanged(slug, 'paused');
      const outcome = signalled
        ? 'Nothing more is sent until it is resumed.'
        : 'Temporal does not answer: the pause holds all the same, from the next page on.';
      return { outcome, signalled };
    });
  },
});

/** Delivers again from where the customer left off. A wait in progress, such as a Retry-After, is not cut short. */
export const resume = deed()({
  name: 'resume',
  input: {},
  gdx: {
    words: ['channel', 'resume'],
    says: 'deliver again from where the customer left off',
    facts: ({ _id: slug, state }) => ({ slug, state }),
  },
  page: {
    doors: ['operator'],
    title: 'Resume',
    says: 'Delivers at once, from where the customer left off.',
    done: 'Resumed',
    isOffered: (channel) => !isActive(channel),
  },
  async run(parts, channel, _, asker) {
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
  },
});
