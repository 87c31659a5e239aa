import { timeNow } from '../../domain/elapsed';
import { answerPage, goTo } from '../pages/answer-page';
import { type ActionName, ACTIONS, type ChannelAction, readDeedForm, type Wrong, wrongOf } from './actions';
import { askerOf, logActed, NO_REASON } from './asker-of';
import { channelOf } from './channel-of';
import { actionPath, type Door, pathOf } from './door';
import { askLink, linkFromPage } from './make-link';
import { pageContext } from './page-context';
import { askRotation, rotateFromPage } from './rotate-secret';
import { answerChannel } from './show-channel-page';
import type { PageDeps, SignedInContext } from './signed-in-state';
import { askPage } from './views/ask-page';

type PageHandler = (ctx: SignedInContext, deps: PageDeps) => Promise<void>;

/** The routes of a door's actions: a POST for each form, a GET for each page that asks for confirmation. */
export function actionRoutes<C extends 'operator' | 'customer'>(door: Door, caller: C) {
  return ACTIONS.filter(({ doors }) => doors.includes(door.holder)).flatMap((action) => {
    const { name, maxFormBytes } = action;
    const path = actionPath(door, name);
    const { ask = askOf(action), act = actFromPage(action) } = STEPS[name] ?? {};
    return [
      ...(ask ? [{ method: 'GET' as const, path, caller, handle: ask }] : []),
      { method: 'POST' as const, path, caller, handle: act, ...(maxFormBytes && { maxFormBytes }) },
    ];
  });
}

/** The actions with pages of their own: the one that asks, which changes nothing, and the one that answers. */
const STEPS: Partial<Record<ActionName, Record<'ask' | 'act', PageHandler>>> = {
  'rotate-secret': { ask: askRotation, act: rotateFromPage },
  link: { ask: askLink, act: linkFromPage },
};

/**
 * Runs the action that a form asks for, and redirects to the channel's page. A form that is posted twice runs
 * once. An error in the form is shown on the channel's page.
 */
function actFromPage(action: ChannelAction): PageHandler {
  const { name, read } = action;
  const askAgain = askOf(action);
  return async (ctx, deps) => {
    const channel = await channelOf(ctx, deps);
    const { door, form, logged } = ctx.state;
    const refuse = (problem: Wrong) => answerChannel(ctx, deps, channel, { form: name, ...problem });
    const run = read!(channel, form, deps);
    if ('message' in run) return refuse(run);
    const asker = askerOf(ctx, deps);
    if (!asker && askAgain) return askAgain(ctx, deps);
    if (!asker) return refuse({ field: 'reason', message: NO_REASON });
    logged['action'] = name;
    try {
      const result = await run(asker);
      const done = { action: name, channel: channel._id };
      if (result) logActed(deps, door, asker, { ...done, outcome: result.outcome });
      goTo(ctx, `${pathOf(door, 'channel', channel._id)}?did=${asker.action_id}`);
    } catch (error) {
      const problem = wrongOf(action, error);
      if (!problem) throw error;
      await refuse(problem);
    }
  };
}

/** The page that shows what a deed would do, and asks; shown again where its form gives no reason. */
function askOf({ deed }: ChannelAction): PageHandler | undefined {
  if (!deed?.page?.asks) return undefined;
  return async (ctx, deps) => {
    const channel = await channelOf(ctx, deps);
    const isPosted = ctx.method === 'POST';
    const given = isPosted ? ctx.state.form : new URLSearchParams(ctx.querystring);
    const read = readDeedForm(deed, channel, given);
    if ('message' in read) return answerChannel(ctx, deps, channel, { form: deed.name, ...read });
    const effect: object = await deed.preview!(deps, channel, read.input);
    const context = pageContext(ctx, deps, timeNow());
    const error = isPosted ? NO_REASON : undefined;
    answerPage(ctx, askPage({ context, channel, deed, input: read.input, effect, error }), error ? 422 : 200);
  };
}
