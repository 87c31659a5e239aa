import type { Channel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { findDeliveries, type DeliveryDocument } from '../../store/deliveries/deliveries';
import { listChannelMarkers, type MarkerView } from '../../store/markers/list-channel-markers';

/** What a report is made of. */
export interface Report {
  channel: Channel;
  from: Date;
  to: Date;
  /** Oldest first. */
  deliveries: DeliveryDocument[];
  /** There were more, older ones: only the newest are here. */
  cut: boolean;
  markers: MarkerView[];
}

const PAGE = 200;
const MOST = 10_000;

export async function readReport(store: Store, channel: Channel, from: Date, to: Date): Promise<Report> {
  const deliveries: DeliveryDocument[] = [];
  let after: { started_at: Date; id: string } | undefined;
  let more = true;
  while (more && deliveries.length < MOST) {
    const page: DeliveryDocument[] = await findDeliveries(store, channel._id, { limit: PAGE, after });
    const wanted = page.filter(({ started_at }) => started_at >= from);
    deliveries.push(...wanted);
    more = wanted.length === PAGE;
    const last = wanted.at(-1);
    if (last) after = { started_at: last.started_at, id: last._id };
  }
  const markers = await listChannelMarkers(store, channel);
  return { channel, from, to, deliveries: deliveries.reverse(), cut: more, markers };
}
