import { isFedId } from '../../control/fields';
import { productionRecord, productionTable, sumsTable } from '../../domain/records/production-record';
import { timeNow } from '../../domain/time/elapsed';
import { formatInstant } from '../../domain/time/instants';
import { UTF8_MARK } from '../../domain/text/inert-cell';
import { MOST_GRAIN, readAccountsGrain } from '../../store/digest/accounts-grain';
import type { Channel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { TooManyRecords } from '../../store/window/choose-records';
import type { PageDeps, SignedInContext } from '../channel/signed-in-state';
import { HttpError, invalid } from '../http/http-error';
import { ListQuery } from '../http/list-query';
import type { ChannelContext, Deps } from '../http/route';
import { beginChannelsWalk, WALKED_OF_REQUEST } from '../limits/walks';

const NONE =
  'You get no tickets and no settlements of such an account. One that a farmer has just shared is here once its catch-up has begun: ' +
  'in seconds, but not while your channel is paused or waits for you.';
const needed = { account: '', crop_year: '' };
const match = (pattern: RegExp) => (text: string) => pattern.exec(text)?.[0];

/** `GET .../production`: the production record of an account that the channel carries (docs/contract.md C30). */
export const getProduction = (ctx: ChannelContext, { store }: Deps): Promise<void> =>
  answerProduction(ctx, store, ctx.state.channel);

/** `GET /customer/production`: the same from the customer's page. */
export const downloadProduction = (ctx: SignedInContext, { store }: PageDeps): Promise<void> =>
  answerProduction(ctx, store, ctx.state.channel!);

async function answerProduction(
  ctx: ChannelContext | SignedInContext,
  store: Store,
  channel: Channel,
): Promise<void> {
  const { charge } = ctx.state;
  const query = new ListQuery({ ...needed, ...ctx.query });
  const isId = (text: string) => (isFedId(text) ? text : undefined);
  const account = query.read('account', isId, 'must be an id as the feed shows it')!;
  const year = query.read('crop_year', match(/^(\d{4}|none)$/), 'must be a year of four digits, or none')!;
  const format = query.read('format', match(/^(json|csv|sums)$/), 'must be json, csv or sums');
  query.refuseIfWrong();
  const signal = beginChannelsWalk(ctx, channel._id);
  const grain = await readAccountsGrain(store, channel, account, signal).catch((error: unknown) => {
    if (!(error instanceof TooManyRecords)) throw error;
    throw invalid({ account: [`has more than ${MOST_GRAIN} tickets or settlements`] });
  });
  if (!grain) throw new HttpError('NOT_FOUND', NONE);
  await charge?.((grain.tickets.length + (grain.settlements ?? []).length) / WALKED_OF_REQUEST);
  const record = productionRecord(account, year === 'none' ? null : year, grain);
  if (format !== 'csv' && format !== 'sums')
    return void (ctx.body = { made_at: formatInstant(timeNow()), ...record });
  ctx.type = 'text/csv; charset=utf-8';
  const [name, table] = format === 'sums' ? ['-sums', sumsTable(record)] : ['', productionTable([record])];
  ctx.set('Content-Disposition', `attachment; filename="production-${year}${name}.csv"`);
  ctx.body = UTF8_MARK + table;
}
