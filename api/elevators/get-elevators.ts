import type { PushedRecord } from '../../domain/validate-push';
import { elevatorsAfter, type ElevatorDocument } from '../../store/push/elevators';
import { companyNames } from '../../store/access/integrations';
import { ListQuery } from '../list-query';
import type { ChannelContext, Deps } from '../route';

// `<company_id>-<id>`
const ELEVATOR_ID = /^[^\p{Cc}]{1,193}$/u;

/** `GET .../elevators`: the elevators that records in the feed refer to (docs/contract.md C17). */
export async function getElevators(ctx: ChannelContext, { store }: Deps): Promise<void> {
  const query = new ListQuery(ctx.query);
  const limit = query.limit();
  const after = query.after((text) => (ELEVATOR_ID.test(text) ? text : undefined)) ?? '';
  query.refuseIfWrong();
  const { found, more } = await elevatorsAfter(store, ctx.state.channel.companies, after, limit);
  const names = await companyNames(store, [...new Set(found.map(({ company_id }) => company_id))]);
  ctx.body = {
    data: found.map((elevator) => toView(elevator, names)),
    next: more ? found.at(-1)!._id : null,
  };
}

function toView({ _id, company_id, json }: ElevatorDocument, names: ReadonlyMap<string, string>) {
  const { id: remote_id, ...pushed } = JSON.parse(json.toString('utf8')) as PushedRecord;
  const company = { id: company_id, name: names.get(company_id) ?? company_id };
  const ours = { id: _id, remote_id, company };
  return { ...ours, ...pushed, ...ours };
}
