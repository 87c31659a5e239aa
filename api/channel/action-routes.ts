import type { AnyDeed } from '../../control/deed';
import { timeNow } from '../../domain/time/elapsed';
import { answerPage, goTo } from '../pages/answer-page';
import { ACTIONS, readDeedForm, type Wrong, wrongOf } from './actions';
import { askerOf, logActed, NO_REASON } from './asker-of';
import { channelOf } from './channel-of';
import { actionPath, type Door, pathOf } from './door';
import { pageContext } from './page-context';
import { answerChannel } from './show-channel-page';
import type { PageDeps, SignedInContext } from './signed-in-state';
import { askPage } from './views/ask-page';
import { type MadeOnce, ownPage } from './views/own-page';

/** The routes of a door's actions: a POST for each form, a GET for each page that the form is on. */
export function actionRoutes<C extends 'operator' | 'customer'>(door: Door, caller: C) {
  return ACTIONS.filter(({ page }) => page!.doors.includes(door.holder)).flatMap((deed) => {
    const { asks, own, maxFormBytes } = deed.page!;
    const path = actionPath(door, deed.name);
    const show = async (ctx: SignedInContext, deps: PageDeps) => (asks ? ask : showOwn)(deed, ctx, deps);
    const act = async (ctx: SignedInContext, deps: PageDeps) => actFromPage(deed, ctx, deps);
    return [
      ...(asks || own ? [{ method: 'GET' as const, path, caller, handle: show }] : []),
      { method: 'POST' as const, path, caller, handle: act, ...(maxFormBytes && { maxFormBytes }) },
    ];
  });
}

/**
 * Runs the deed that a form asks for, and redirects to the channel's page; one with a page of its own is answered there. A
 * form that is posted twice runs once. An error in the form is shown on the page that the form is on.
 */
async function actFromPage(deed: AnyDeed, ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const { name } = deed;
  const { asks, own } = deed.page!;
  const channel = await channelOf(ctx, deps);
  const { door, form, logged } = ctx.state;
  const refuse = (wrong: Wrong) =>
    own ? showOwn(deed, ctx, deps, { wrong }) : answerChannel(ctx, deps, channel, { form: name, ...wrong });
  const read = readDeedForm(deed, channel, form);
  if ('message' in read) return refuse(read);
  const asker = askerOf(deed, ctx, deps);
  if (!asker && asks) return ask(deed, ctx, deps);
  if (!asker) return refuse({ field: 'reason', message: NO_REASON });
  logged['action'] = name;
  try {
    const result = await deed.run(deps, channel, read.input, asker);
    const done = { action: name, channel: channel._id };
    if (result) logActed(deps, door, asker, { ...done, outcome: result.outcome });
    if (!own) return goTo(ctx, `${pathOf(door, 'channel', channel._id)}?did=${asker.action_id}`);
    if (!result) return await refuse({ field: 'reason', message: own.again });
    await showOwn(deed, ctx, deps, { made: own.made(result) });
  } catch (error) {
    const wrong = wrongOf(deed, error);
    if (!wrong) throw error;
    await refuse(wrong);
  }
}

/** The page that shows what a deed would do, and asks; shown again where its form gives no reason. */
async function ask(deed: AnyDeed, ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const isPosted = ctx.method === 'POST';
  const given = isPosted ? ctx.state.form : new URLSearchParams(ctx.querystring);
  const read = readDeedForm(deed, channel, given);
  if ('message' in read) return answerChannel(ctx, deps, channel, { form: deed.name, ...read });
  const effect: object = await deed.preview!(deps, channel, read.input);
  const context = pageContext(ctx, deps, timeNow());
  const error = isPosted ? NO_REASON : undefined;
  answerPage(ctx, askPage({ context, channel, deed, input: read.input, effect, error }), error ? 422 : 200);
}

/** A deed's own page: its form, with what is wrong with the one that was sent, or what that has made. */
async function showOwn(
  deed: AnyDeed,
  ctx: SignedInContext,
  deps: PageDeps,
  { wrong, made }: { wrong?: Wrong; made?: MadeOnce } = {},
): Promise<void> {
  const context = pageContext(ctx, deps, timeNow());
  const channel = await channelOf(ctx, deps);
  const problem = wrong && { form: deed.name, ...wrong };
  answerPage(
    ctx,
    ownPage({ context, channel, typed: ctx.state.form, deed, problem, made }),
    wrong ? 422 : 200,
  );
}
