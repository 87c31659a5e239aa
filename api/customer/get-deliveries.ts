import { failureForCustomers } from '../../domain/deliveries/for-customers';
import { formatInstant } from '../../domain/time/instants';
import { findDeliveries, type DeliveryDocument } from '../../store/deliveries/deliveries';
import type { ChannelContext, Deps } from '../http/route';
import { cursorAfter, deliveriesQuery } from '../channel/deliveries-query';

/** `GET .../deliveries`: the channel's deliveries, newest first (docs/contract.md C17). */
export async function getDeliveries(ctx: ChannelContext, { store }: Deps): Promise<void> {
  const query = deliveriesQuery(ctx.query);
  // One more than requested shows whether there is a next page.
  const found = await findDeliveries(store, ctx.state.channel._id, { ...query, limit: query.limit + 1 });
  const shown = found.slice(0, query.limit);
  const last = shown.at(-1);
  ctx.body = {
    data: shown.map(toView),
    next: last && found.length > shown.length ? cursorAfter(last) : null,
  };
}

function toView(delivery: DeliveryDocument) {
  return {
    id: delivery._id,
    entity_type: delivery.entity_type,
    status: delivery.status,
    failure: delivery.failure,
    failure_message: failureForCustomers(delivery.failure, delivery.failure_message),
    pages: delivery.pages,
    records: delivery.records,
    set_aside: delivery.set_aside ?? 0,
    started_at: formatInstant(delivery.started_at),
    ended_at: delivery.ended_at && formatInstant(delivery.ended_at),
  };
}
