import { deliverNow } from '../../../workflows/messages';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel';

/** The page offers it for a channel that runs; it may have been paused since. */
const PAUSED = 'The channel is paused: resume it, and it delivers at once';

export async function deliver(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const refuse = (message: string) =>
    answerChannel(ctx, deps, channel, { form: 'deliver', field: 'reason', message });
  if (channel.state === 'paused') return refuse(PAUSED);
  const acted = await act(ctx, deps, {
    verb: 'deliver',
    channel,
    async run() {
      const { requestId: request_id } = ctx.state;
      return (await deps.bell.ring(channel._id, deliverNow, { request_id }))
        ? 'It runs now; reload in a moment to see what it sent.'
        : 'Temporal does not answer: it runs when Temporal is back and it is due.';
    },
  });
  if (!acted) await refuse(NO_REASON);
}
