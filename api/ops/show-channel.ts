import type { Channel } from '../../store/channels';
import { deliveriesQuery } from '../deliveries/deliveries-query';
import { answerPage } from '../pages/answer-page';
import type { Deps, OperatorContext } from '../route';
import { channelOf } from './channel-of';
import { readChannelView } from './channel-view';
import { frameOf } from './frame';
import { channelPage } from './pages/channel-page';
import type { FormProblem } from './pages/form-problem';

/** `GET /ops/channels/<slug>` */
export async function showChannel(ctx: OperatorContext, deps: Deps): Promise<void> {
  await answerChannel(ctx, deps, await channelOf(ctx, deps));
}

/** The page, with what is wrong with the form that was posted from it, and what was typed. */
export async function answerChannel(
  ctx: OperatorContext,
  deps: Deps,
  channel: Channel,
  problem?: FormProblem,
): Promise<void> {
  const now = new Date();
  const view = await readChannelView(deps.store, channel, deliveriesQuery(filtersOf(ctx)), now);
  const did = view.actions.find(({ _id }) => _id === ctx.query['did']);
  const typed = ctx.method === 'POST' ? ctx.state.form : new URLSearchParams(ctx.querystring);
  const page = channelPage({ frame: frameOf(ctx, deps, now), view, did, problem, typed });
  answerPage(ctx, page, problem ? 422 : 200);
}

/** "Any" is an empty text in a form; the address of an action or a reset has other words in it. */
function filtersOf({ query }: OperatorContext): Record<string, unknown> {
  const filters = ['status', 'after'].map((name) => [name, query[name]] as const);
  const given = [['entity_type', query['entity']] as const, ...filters].filter(([, value]) => value);
  return Object.fromEntries(given);
}
