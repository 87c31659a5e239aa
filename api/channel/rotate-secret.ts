import { timeNow } from '../../domain/elapsed';
import { rotateSecret } from '../../control/rotate-secret';
import { liveSigning } from '../../store/channels/channels';
import { askerOf, logActed, NO_REASON } from './asker-of';
import { channelOf } from './channel-of';
import { pageContext } from './page-context';
import type { FormProblem } from './views/form-problem';
import { answerPage } from '../pages/answer-page';
import { rotatedPage, rotateSecretPage } from './views/rotate-secret-pages';
import type { PageDeps, SignedInContext } from './signed-in-state';

// Each old secret adds two signatures to every page for 24 hours.
const MAX_LIVE = 4;
const TOO_MANY = 'Four secrets sign your pages now: wait until one has ended, or drop them at once';

/** The first step: a page that says what a rotation means. It changes nothing, so it is a GET. */
export async function askRotation(
  ctx: SignedInContext,
  deps: PageDeps,
  problem?: FormProblem,
): Promise<void> {
  const context = pageContext(ctx, deps, timeNow());
  const channel = await channelOf(ctx, deps);
  const page = rotateSecretPage({ context, channel, problem, typed: ctx.state.form });
  answerPage(ctx, page, problem ? 422 : 200);
}

/** The second step: rotates, and shows the secret in this answer only. */
export async function rotateFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const atOnce = ctx.state.form.get('at_once') === 'yes';
  const asker = askerOf(ctx, deps);
  const refuse = (field: string, message: string) =>
    askRotation(ctx, deps, { form: 'rotate-secret', field, message });
  if (!asker) return refuse('reason', NO_REASON);
  const now = timeNow();
  if (!atOnce && liveSigning(channel, now).length >= MAX_LIVE) return refuse('at_once', TOO_MANY);
  ctx.state.logged['action'] = 'rotate-secret';
  const rotated = await rotateSecret(deps, channel, { atOnce }, asker);
  if (rotated) logActed(deps, ctx.state.door, asker, { action: 'rotate-secret', channel: channel._id });
  answerPage(ctx, rotatedPage({ context: pageContext(ctx, deps, now), channel, rotated }));
}
