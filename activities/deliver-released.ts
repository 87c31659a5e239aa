import { type Channel, findChannel } from '../store/channels';
import { type Marker, readMarkers } from '../store/markers';
import { findRecord } from '../store/records';
import { isSelected } from '../store/selection';
import { forgetReleased, listSetAside, type SetAside } from '../store/set-aside';
import type { PageAttempt, Place } from './deliver-page';
import type { WindowEnd } from './deliver-pages';
import { type DeliveryRun, isSpent } from './deliver-window';
import { postRecords } from './post-records';
import { putAside } from './put-aside';

/** What was set aside and released since, by id and one at a time: a refusal is then about that record alone. */
export async function deliverReleased(run: DeliveryRun): Promise<WindowEnd> {
  const { store, input } = run;
  const { entity_type } = input;
  const released = await listSetAside(store, input.channel, { entity_type, released: true });
  if (released.length === 0) return { end: 'delivered' };
  const channel = await findChannel(store, input.channel, run.session);
  if (!channel) return { end: 'superseded' };
  const own = (await readMarkers(store, channel._id)).get(entity_type);
  for (const one of released) {
    if (isSpent(run)) return { end: 'more' };
    const end = await deliverOne(run, one, { channel, own, total: released.length });
    if (end) return end;
  }
  return { end: 'delivered' };
}

async function deliverOne(
  run: DeliveryRun,
  one: SetAside,
  { channel, own, total }: { channel: Channel; own: Marker | undefined; total: number },
): Promise<WindowEnd | undefined> {
  const { store, session, delivery, totals } = run;
  const record = await findRecord(store, one.entity_type, one.record);
  if (record && own && record.position > own.position) return undefined; // changed since: the channel's own window has it
  if (!record || !isOfChannel(channel.companies, record.company_id)) return forget(run, one);
  if (!isSelected(await run.selections(channel, session), record)) return forget(run, one);

  const fence = { id: one._id, generation: one.released_at?.getTime() ?? 0, epoch: 0 };
  const attempt: PageAttempt = { ...run, window: { to: record.position, total }, fence, isOver: () => false };
  const place: Place = { at: 0, progress: { delivery, pages: 0, records: 0, bytes: 0 }, channel, last: null };
  run.posted += 1;
  const posted = await postRecords(attempt, place, [record]);
  if ('stopped' in posted) return { end: posted.stopped };
  if ('unconfirmed' in posted) {
    const { failure } = posted.unconfirmed;
    const isItsFault = failure === 'refused' || failure === 'too_large';
    const ended = isItsFault ? await putAside(attempt, record, posted) : posted;
    if (!ended) return undefined;
    run.said = ended;
    return { end: 'unconfirmed', unconfirmed: ended.unconfirmed };
  }
  totals.pages += posted.sent.length;
  totals.records += posted.sent.length;
  totals.bytes += posted.bytes;
  run.last = posted.last ?? run.last;
  return forget(run, one);
}

const isOfChannel = (companies: string[], company: string) =>
  companies.length === 0 || companies.includes(company);

async function forget({ store }: DeliveryRun, refused: SetAside): Promise<undefined> {
  await forgetReleased(store, refused);
}
