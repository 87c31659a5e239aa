import type { ExplainedAnswer } from '../domain/deliveries/explain-answer';
import { deed } from './deed';
import { recordAction } from './record-action';

/** Has a page marked as a test posted to the channel's customer, and says what its answer means. No marker moves. */
export const tryEndpoint = deed()({
  name: 'test',
  input: {},
  page: {
    doors: ['operator', 'channel'],
    title: 'Post a test page',
    says: 'Posts an empty page, marked as a test, and says what the answer means. No marker moves.',
    whyOfOperators: true,
    done: 'Posted a test page',
    isOffered: ({ delivery }) => delivery !== 'pull',
  },
  run: async (parts, { _id: slug }, _, asker) =>
    recordAction(parts, asker, { action: 'test', channel: slug, before: {} }, async () => {
      const explained = await parts.temporal.testEndpoint(slug);
      return { outcome: say(explained), signalled: explained !== undefined };
    }),
});

function say(explained: ExplainedAnswer | null | undefined): string {
  if (explained === undefined) return 'No worker has posted the page: try again in a minute.';
  if (explained === null) return 'Its pages are collected: there is no endpoint to test.';
  const { reason, milliseconds, answer, real_page, mend } = explained;
  return [
    `${reason} after ${milliseconds} ms.`,
    answer && `It said: ${answer}`,
    `Of a real page: ${real_page}`,
    mend && `To mend: ${mend}`,
  ]
    .filter(Boolean)
    .join(' ');
}
