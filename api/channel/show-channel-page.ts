import { timeNow } from '../../domain/time/elapsed';
import type { Channel } from '../../store/channels/channels';
import { deliveriesList } from '../../control/list-deliveries';
import { answerPage } from '../pages/answer-page';
import { asCustomersMaySee } from './as-customers-may-see';
import { channelOf } from './channel-of';
import { readChannelView } from './channel-view';
import { readAsked } from './list-route';
import { pageContext } from './page-context';
import { traceOf } from './trace-of';
import { channelPage } from './views/channel-page';
import type { FormProblem } from './views/form-problem';
import type { PageDeps, SignedInContext } from './signed-in-state';

/** `GET /ops/channels/<slug>`, and `GET /customer` */
export async function showChannelPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  await answerChannel(ctx, deps, await channelOf(ctx, deps));
}

/** The channel's page, with the posted form's error and input if there was one. */
export async function answerChannel(
  ctx: SignedInContext,
  deps: PageDeps,
  channel: Channel,
  problem?: FormProblem,
): Promise<void> {
  const now = timeNow();
  const asked = readAsked(deliveriesList, filtersOf(ctx));
  const all = await readChannelView(deps, ctx.state.door, channel, asked, now);
  const view = ctx.state.door.holder === 'operator' ? all : asCustomersMaySee(all, now);
  const did = view.actions.find(({ _id }) => _id === ctx.query['did']);
  const typed = ctx.method === 'POST' ? ctx.state.form : new URLSearchParams(ctx.querystring);
  const traced = await traceOf(ctx, deps, channel);
  const page = channelPage({ context: pageContext(ctx, deps, now), view, did, problem, typed, traced });
  answerPage(ctx, page, problem ? 422 : 200);
}

/** Keeps only the filters. "Any" is an empty value in the form. */
function filtersOf({ query }: SignedInContext): Record<string, unknown> {
  const filters = ['status', 'after'].map((name) => [name, query[name]] as const);
  const given = [['entity_type', query['entity']] as const, ...filters].filter(([, value]) => value);
  return Object.fromEntries(given);
}
