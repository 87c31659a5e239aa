import { previewReset, reset } from '../../../control/reset';
import { legible } from '../../../domain/pasted-text';
import type { Channel } from '../../../store/channels/channels';
import { answerPage } from '../../pages/answer-page';
import { resetRequest, type ResetRequest } from '../reset-request';
import { act, NO_REASON } from '../act';
import { byTheRules } from '../by-the-rules';
import { channelOf } from '../channel-of';
import { pageContext } from '../page-context';
import { resetPage } from '../views/reset-page';
import { answerChannel } from '../show-channel-page';
import type { PageDeps, SignedInContext } from '../signed-in-state';

/** The first step: what it would do. It changes nothing, so it is a GET. */
export async function askReset(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const asked = readReset(channel, new URLSearchParams(ctx.querystring));
  if ('message' in asked) return answerChannel(ctx, deps, channel, { form: 'reset', ...asked });
  await answerEffect(ctx, deps, channel, asked);
}

/** The second step does it. */
export async function resetFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const asked = readReset(channel, ctx.state.form);
  if ('message' in asked) return answerChannel(ctx, deps, channel, { form: 'reset', ...asked });
  const acted = await act(ctx, deps, 'reset', channel, (asker) => reset(deps, channel, asked, asker));
  if (!acted) await answerEffect(ctx, deps, channel, asked, NO_REASON);
}

async function answerEffect(
  ctx: SignedInContext,
  deps: PageDeps,
  channel: Channel,
  asked: ResetRequest,
  error?: string,
): Promise<void> {
  const { resent } = await previewReset(deps, channel, asked);
  const context = pageContext(ctx, deps, new Date());
  answerPage(ctx, resetPage({ context, channel, asked, resent, error }), error ? 422 : 200);
}

// What a browser's field for date and time gives: without an offset, which is UTC here as everywhere on these pages.
const FIELD = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/** The same rules as the customer's own reset (docs/contract.md C15). */
function readReset(
  channel: Channel,
  given: URLSearchParams,
): ResetRequest | { field: string; message: string } {
  const typed = legible(given.get('timestamp') ?? '');
  const seconds = FIELD.exec(typed)?.[1] ? '' : ':00';
  const timestamp = FIELD.test(typed) ? `${typed}${seconds}Z` : typed;
  const entityType = given.get('entity_type');
  return byTheRules({ timestamp: 'The time', entity_type: 'The entity type' }, () =>
    resetRequest(channel, { entityType, dryRun: undefined, body: { timestamp } }),
  );
}
