import { RECORD_TYPES } from '../../domain/records/commands';
import { MAX_RECORDS } from '../../domain/records/validate-push';
import { listPushed } from '../../store/push/list-pushed';
import { invalid } from '../http/http-error';
import { ListQuery } from '../http/list-query';
import { type Deps, ENTRIES_OF_REQUEST, type IntegrationContext } from '../http/route';

/** At most as many as a push may have. */
export const HELD_LIMIT = { default: 1000, max: MAX_RECORDS };

const ID = /^[^\u0000-\u001f\u007f-\u009f]{0,128}$/u;

/** `GET /api/v1/records/{type}`: the stored records of the integration's company (docs/contract.md E18). */
export async function getRecords(ctx: IntegrationContext, { store }: Deps): Promise<void> {
  const type = RECORD_TYPES.find((known) => known === ctx.params['type']);
  if (type === undefined) throw invalid({ type: [`must be one of ${RECORD_TYPES.join(', ')}`] });
  const query = new ListQuery(ctx.query);
  const limit = query.limit(HELD_LIMIT);
  const after = query.after((text) => (ID.test(text) ? text : undefined)) ?? '';
  query.refuseIfWrong();
  const { held, more } = await listPushed(store, type, ctx.state.integration.company.id, { after, limit });
  await ctx.state.charge?.(held.length / ENTRIES_OF_REQUEST);
  ctx.body = { records: held, ...(more && { next: held.at(-1)!.id }) };
}
