import type { ShownFields } from '../../domain/records/shown-fields';
import type { PushedRecord } from '../../domain/records/validate-push';
import { elevatorsAfter, type ElevatorDocument } from '../../store/push/elevators';
import { companyNames } from '../../store/callers/integrations';
import { readShownFields } from '../../store/sharing/passed-fields';
import { ListQuery } from '../http/list-query';
import { BYTES_OF_REQUEST, type ChannelContext, type Deps } from '../http/route';

// `<company_id>-<id>`
const ELEVATOR_ID = /^[^\p{Cc}]{1,193}$/u;

/** `GET .../elevators`: the elevators of the channel's companies (docs/contract.md C17). */
export async function getElevators(ctx: ChannelContext, { store }: Deps): Promise<void> {
  const { channel } = ctx.state;
  const query = new ListQuery(ctx.query);
  const limit = query.limit();
  const after = query.after((text) => (ELEVATOR_ID.test(text) ? text : undefined)) ?? '';
  query.refuseIfWrong();
  const { found, more } = await elevatorsAfter(store, channel.companies, after, limit);
  const bytes = found.reduce((sum, { json }) => sum + json.length, 0);
  await ctx.state.charge?.(bytes / BYTES_OF_REQUEST);
  const companies = [...new Set(found.map(({ company_id }) => company_id))];
  const names = await companyNames(store, companies);
  const fields = channel.scope === 'subscribed' ? await readShownFields(store, companies) : undefined;
  ctx.body = {
    data: found.map((elevator) => toView(elevator, names, fields)),
    next: more ? found.at(-1)!._id : null,
  };
}

/** @param fields undefined: all */
function toView(
  { _id, company_id, json }: ElevatorDocument,
  names: ReadonlyMap<string, string>,
  fields: ShownFields | undefined,
) {
  const { id: remote_id, ...pushed } = JSON.parse(json.toString('utf8')) as PushedRecord;
  const company = { id: company_id, name: names.get(company_id) ?? company_id };
  const ours = { id: _id, remote_id, company };
  const shown = fields ? fields.ofElevator(pushed, company_id) : pushed;
  return { ...ours, ...shown, ...ours, deleted_at: pushed['deleted_at'] ?? null };
}
