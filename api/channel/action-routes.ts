import { previewReset } from '../../control/reset';
import { answerPage, goTo } from '../pages/answer-page';
import { type ActionName, ACTIONS, type ChannelAction, readReset, type Wrong } from './actions';
import { askerOf, logActed, NO_REASON } from './asker-of';
import { channelOf } from './channel-of';
import { actionPath, type Door, pathOf } from './door';
import { askLink, linkFromPage } from './make-link';
import { pageContext } from './page-context';
import { askRotation, rotateFromPage } from './rotate-secret';
import { answerChannel } from './show-channel-page';
import type { PageDeps, SignedInContext } from './signed-in-state';
import { resetPage } from './views/reset-page';

type PageHandler = (ctx: SignedInContext, deps: PageDeps) => Promise<void>;

/** The routes of a door's actions: a POST for each form, a GET for each page that asks for confirmation. */
export function actionRoutes<C extends 'operator' | 'customer'>(door: Door, caller: C) {
  return ACTIONS.filter(({ doors }) => doors.includes(door.holder)).flatMap((action) => {
    const { name, maxFormBytes } = action;
    const path = actionPath(door, name);
    const { ask, act = actFromPage(action) } = STEPS[name] ?? {};
    return [
      ...(ask ? [{ method: 'GET' as const, path, caller, handle: ask }] : []),
      { method: 'POST' as const, path, caller, handle: act, ...(maxFormBytes && { maxFormBytes }) },
    ];
  });
}

/** The differences of the actions that ask for confirmation on a page of their own. */
interface Steps {
  /** The page that asks. It changes nothing. */
  ask: PageHandler;
  /** Shows the page again where its form gives no reason. Left out: the channel's page is shown. */
  askAgain?: PageHandler;
  /** Answers with another page than the channel's. */
  act?: PageHandler;
}

const STEPS: Partial<Record<ActionName, Steps>> = {
  reset: { ask: askReset, askAgain: askReset },
  'rotate-secret': { ask: askRotation, act: rotateFromPage },
  link: { ask: askLink, act: linkFromPage },
};

/**
 * Runs the action that a form asks for, and redirects to the channel's page. A form that is posted twice runs
 * once. An error in the form is shown on the channel's page.
 */
function actFromPage(action: ChannelAction): PageHandler {
  const { name, read, wrong } = action;
  return async (ctx, deps) => {
    const channel = await channelOf(ctx, deps);
    const { door, form, logged } = ctx.state;
    const refuse = (problem: Wrong) => answerChannel(ctx, deps, channel, { form: name, ...problem });
    const run = read!(channel, form, deps);
    if ('message' in run) return refuse(run);
    const asker = askerOf(ctx, deps);
    const askAgain = asker ? undefined : STEPS[name]?.askAgain;
    if (askAgain) return askAgain(ctx, deps);
    if (!asker) return refuse({ field: 'reason', message: NO_REASON });
    logged['action'] = name;
    try {
      const result = await run(asker);
      const done = { action: name, channel: channel._id };
      if (result) logActed(deps, door, asker, { ...done, outcome: result.outcome });
      goTo(ctx, `${pathOf(door, 'channel', channel._id)}?did=${asker.action_id}`);
    } catch (error) {
      const problem = wrong?.(error);
      if (!problem) throw error;
      await refuse(problem);
    }
  };
}

/** Shows what a reset would do, and asks. */
async function askReset(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const isPosted = ctx.method === 'POST';
  const asked = readReset(channel, isPosted ? ctx.state.form : new URLSearchParams(ctx.querystring));
  if ('message' in asked) return answerChannel(ctx, deps, channel, { form: 'reset', ...asked });
  const { resent } = await previewReset(deps, channel, asked);
  const context = pageContext(ctx, deps, new Date());
  const error = isPosted ? NO_REASON : undefined;
  answerPage(ctx, resetPage({ context, channel, asked, resent, error }), error ? 422 : 200);
}
