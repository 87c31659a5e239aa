import { companiesList } from '../../control/list-companies';
import { deliveriesList } from '../../control/list-deliveries';
import { type AnyList, type AskedOf, membersOf, partOf } from '../../control/list';
import { markersList } from '../../control/list-markers';
import { ListQuery } from '../http/list-query';
import { CHANNEL, type ChannelContext, type Deps } from '../http/route';

/** The lists that customers ask the API for. Their routes and their reference are made from these rows. */
export const CHANNEL_LISTS: readonly AnyList[] = [markersList, companiesList, deliveriesList];

/** The route of a list in the API. */
export const listRoute = (row: AnyList) => ({
  method: 'GET' as const,
  path: `${CHANNEL}${row.api.path}`,
  caller: 'channel' as const,
  query: [...(row.cursor ? ['limit', 'after'] : []), ...Object.keys(row.filters)],
  handle: (ctx: ChannelContext, deps: Deps) => answerList(row, ctx, deps),
});

async function answerList(row: AnyList, ctx: ChannelContext, { store }: Deps): Promise<void> {
  const { channel } = ctx.state;
  const asked = readAsked(row, ctx.query);
  const { shown, next } = await partOf(row, store, channel, { ...asked, reader: 'customer' });
  const data = shown.map((one) => membersOf(row, one, 'customer'));
  ctx.body = { data, ...(row.cursor && { next }) };
}

/**
 * Reads the query of a list.
 * @throws HttpError VALIDATION_ERROR with all validation messages
 */
export function readAsked<L extends AnyList>(row: L, given: Readonly<Record<string, unknown>>): AskedOf<L> {
  const query = new ListQuery(given);
  const asked: Record<string, unknown> = {};
  for (const [name, { kinds, wrong }] of Object.entries<AnyList['filters'][string]>(row.filters))
    asked[name] = query.read(name, (text) => kinds.find((kind: string) => kind === text), wrong);
  asked['limit'] = row.cursor ? query.limit() : Infinity;
  if (row.cursor) asked['after'] = query.after(row.cursor.read);
  query.refuseIfWrong();
  return asked as AskedOf<L>;
}
