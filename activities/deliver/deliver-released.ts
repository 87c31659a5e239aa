import { type Channel, findChannel } from '../../store/feed/channels';
import { type Marker, readMarkers } from '../../store/feed/markers';
import { findRecord } from '../../store/push/records';
import { isSelected } from '../../store/feed/selection';
import { forgetReleased, listSetAside, type SetAside } from '../../store/feed/set-aside';
import { type DeliverySlice, type Ended, isSpent } from './slice';
import { postInSlot } from './post-records';
import { setRecordAside } from './set-record-aside';

/** Delivers released records by id, one per page, so that a refusal concerns that record alone. */
export async function deliverReleased(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, session } = slice;
  const { entity_type } = input;
  const released = await listSetAside(process.store, input.channel, { entity_type, released: true });
  if (released.length === 0) return undefined;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return { end: 'superseded' };
  const own = (await readMarkers(process.store, channel._id)).get(entity_type);
  for (const one of released) {
    if (isSpent(slice)) return { end: 'more' };
    const ended = await deliverOne(slice, one, { channel, own, total: released.length });
    if (ended) return ended;
  }
  return undefined;
}

async function deliverOne(
  slice: DeliverySlice,
  one: SetAside,
  { channel, own, total }: { channel: Channel; own: Marker | undefined; total: number },
): Promise<Ended | undefined> {
  const { process, input, session, tally } = slice;
  const { store } = process;
  const record = await findRecord(store, one.entity_type, one.record);
  if (record && own && record.position > own.position) return undefined; // changed since: the channel's own window delivers it
  const selection = await process.selections(channel, input.entity_type, session);
  const isTheChannels = record && isOfChannel(channel, record.company_id) && isSelected(selection, record);
  if (!isTheChannels) return forgetReleased(store, one).then(() => undefined);

  const fence = { id: one._id, generation: one.released_at?.getTime() ?? 0, epoch: 0 };
  tally.pages += 1;
  const posted = await postInSlot(slice, { fence, channel, total, number: 1 }, [record]);
  if ('end' in posted) {
    if (posted.end !== 'unconfirmed') return posted;
    const { failure } = posted.unconfirmed;
    const isItsFault = failure === 'refused' || failure === 'too_large';
    return isItsFault ? setRecordAside(slice, record, posted) : posted;
  }
  const { totals } = tally;
  totals.pages += posted.sent.length;
  totals.records += posted.sent.length;
  totals.bytes += posted.bytes;
  return forgetReleased(store, one).then(() => undefined);
}

const isOfChannel = ({ companies }: Channel, company: string) =>
  companies.length === 0 || companies.includes(company);
