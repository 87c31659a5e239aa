import { formatInstant } from '../../../domain/instants';
import type { Channel } from '../../../store/channels';
import { resetChannelMarker } from '../../../store/reset-channel-marker';
import { markerReset } from '../../../workflows/messages';
import { answerPage } from '../../pages/answer-page';
import { HttpError } from '../../http-error';
import { resetRequest, type ResetRequest } from '../../markers/reset-request';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { frameOf } from '../frame';
import { effectOf, resetPage } from '../pages/reset-page';
import { answerChannel } from '../show-channel';

/** The first step: what it would do. It changes nothing, so it is a GET. */
export async function askReset(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const asked = readReset(channel, new URLSearchParams(ctx.querystring));
  if ('message' in asked) return answerChannel(ctx, deps, channel, { form: 'reset', ...asked });
  await answerEffect(ctx, deps, channel, asked);
}

/** The second step does it. */
export async function reset(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const asked = readReset(channel, ctx.state.form);
  if ('message' in asked) return answerChannel(ctx, deps, channel, { form: 'reset', ...asked });
  const { entityType, timestamp } = asked;
  const acted = await act(ctx, deps, {
    verb: 'reset',
    channel,
    about: `${entityType} from ${formatInstant(timestamp)}`,
    async run() {
      const resent = await resetChannelMarker(deps.store, channel, entityType, timestamp, { dryRun: false });
      const effect = `Resends ${effectOf(entityType, resent)}.`;
      const heard = await deps.bell.ring(channel._id, markerReset, {
        entity_type: entityType,
        timestamp: formatInstant(timestamp),
        request_id: ctx.state.requestId,
      });
      if (channel.state === 'paused') return `${effect} They are sent when the channel is resumed.`;
      return heard ? effect : `${effect} Temporal does not answer: the next run honours it.`;
    },
  });
  if (!acted) await answerEffect(ctx, deps, channel, asked, NO_REASON);
}

async function answerEffect(
  ctx: OperatorContext,
  deps: Deps,
  channel: Channel,
  asked: ResetRequest,
  error?: string,
): Promise<void> {
  const { entityType, timestamp } = asked;
  const resent = await resetChannelMarker(deps.store, channel, entityType, timestamp, { dryRun: true });
  const frame = frameOf(ctx, deps, new Date());
  answerPage(ctx, resetPage({ frame, channel, asked, resent, error }), error ? 422 : 200);
}

// What a browser's field for date and time gives: without an offset, which is UTC here as everywhere on these pages.
const FIELD = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/** The same rules as the customer's own reset (contract 4). */
function readReset(
  channel: Channel,
  given: URLSearchParams,
): ResetRequest | { field: string; message: string } {
  const typed = (given.get('timestamp') ?? '').trim();
  const seconds = FIELD.exec(typed)?.[1] ? '' : ':00';
  const timestamp = FIELD.test(typed) ? `${typed}${seconds}Z` : typed;
  try {
    const entityType = given.get('entity_type');
    return resetRequest(channel, { entityType, dryRun: undefined, body: { timestamp } });
  } catch (error) {
    if (!(error instanceof HttpError) || !error.validation_messages) throw error;
    const [field, messages] = Object.entries(error.validation_messages)[0]!;
    const name = field === 'timestamp' ? 'The time' : 'The entity type';
    return { field, message: `${name} ${messages[0]}`.replace('The entity type this', 'This') };
  }
}
