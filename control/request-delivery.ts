import { deed, Refused } from './deed';
import { recordAction } from './record-action';

const RESUME = 'resume it, and it delivers at once';

/** Runs now instead of at the next due time, and cuts waits short, even the customer's own Retry-After. */
export const deliver = deed()({
  name: 'deliver',
  input: {},
  gdx: {
    words: ['channel', 'deliver'],
    says: 'run now instead of at the next due time',
    facts: ({ _id: slug }, { request_id }) => ({ slug, request_id }),
    needsTemporal: true,
  },
  page: {
    doors: ['operator'],
    title: 'Deliver now',
    says: 'Runs at once instead of at the next due time.',
    done: 'Deliver now',
    isOffered: ({ state }) => state === 'active',
  },
  async run(parts, { _id: slug, state, paused }, _, asker) {
    if (state === 'paused')
      throw new Refused('reason', {
        says: `the channel is paused (${paused?.reason ?? 'no reason given'})`,
        advice: RESUME,
        isWhole: true,
      });
    return recordAction(parts, asker, { action: 'deliver', channel: slug, before: {} }, async () => {
      const signalled = await parts.temporal.deliverNow(slug, { request_id: asker.request_id });
      const outcome = signalled
        ? 'It runs now.'
        : 'Temporal does not answer: it runs when Temporal is back and it is due.';
      return { outcome, signalled };
    });
  },
});
