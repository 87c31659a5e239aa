import { RECORD_BYTES } from '../../outbound/page-budget';
import { findChannel } from '../../store/channels/channels';
import { type CatchUp, finishCatchUps } from '../../store/markers/catch-ups';
import { makeMove, type PageMove } from '../../store/markers/make-move';
import { takeEpoch } from '../../store/markers/markers';
import type { PageRecord } from '../../store/records/records';
import type { MayHold } from '../../store/window/page-builder';
import { openWindow } from '../../store/window/window';
import { countConfirmed, setAsideOf } from './confirm-page';
import { giveOutRecords } from './give-out';
import { mayBeOfItsRecords } from './search-page';
import { budgetOf, type DeliverySlice, type Ended } from './slice';

/**
 * Delivers, on one page, all that several accounts have left, which ends their catch-ups. No marker moves:
 * each catch-up ends in its own epoch, so one that a reset or a new grant has taken over stays.
 * @returns `undecided` when they do not fit on one page, or one of its records may be why it was not confirmed:
 * then each account is to be delivered by itself
 */
export async function deliverTogether(
  slice: DeliverySlice,
  list: CatchUp[],
): Promise<Ended | 'undecided' | undefined> {
  const { process, input, session } = slice;
  const begun: CatchUp[] = [];
  for (const { _id, generation } of list) {
    const taken = await takeEpoch(process.store, _id, generation, session);
    if (taken) begun.push(taken as CatchUp);
  }
  if (begun.length === 0) return undefined;
  const lease = await budgetOf(slice).take(input.page_size * RECORD_BYTES);
  if (!lease) return { end: 'more' };
  const read = readAll(slice, begun, lease.growTo);
  return read.then((all) => (all ? giveOutAll(slice, begun, all) : 'undecided')).finally(lease.end);
}

/** All records that these catch-ups have left; undefined above a page. Read after their epochs were taken. */
async function readAll(
  { process, input, session, signal }: DeliverySlice,
  begun: CatchUp[],
  mayHold: MayHold,
): Promise<PageRecord[] | undefined> {
  const byAccount = new Map(begun.map((catchUp) => [catchUp.account, catchUp]));
  const window = {
    after: Math.min(...begun.map(({ position }) => position)),
    upTo: Math.max(...begun.map(({ until }) => until)),
  };
  const selection = { companies: [], shared: new Set(byAccount.keys()) };
  const query = { window, selection, read: 'positions', span: input.page_size, session, signal } as const;
  const reader = openWindow(process.store, input.entity_type, query);
  let page = await reader.read(window.after, input.page_size + 1, { mayHold });
  while (page.records.length === 0 && page.end < window.upTo)
    page = await reader.read(page.end, input.page_size + 1, { mayHold });
  if (page.records.length > input.page_size || page.end < window.upTo) return undefined;
  const isLeft = ({ position }: PageRecord, account: string) => {
    const of = byAccount.get(account);
    return of !== undefined && of.position < position && position <= of.until;
  };
  return page.records.filter((record) =>
    [...record.account_ids, ...(record.left_account_ids ?? [])].some((account) => isLeft(record, account)),
  );
}

async function giveOutAll(
  slice: DeliverySlice,
  begun: CatchUp[],
  records: PageRecord[],
): Promise<Ended | 'undecided' | undefined> {
  const { process, input } = slice;
  const { channel: slug, entity_type } = input;
  const channel = await findChannel(process.store, slug, slice.session);
  if (!channel) return { end: 'superseded' };
  const newest = begun.reduce((one, other) => (other.generation > one.generation ? other : one));
  const fence = { id: newest._id, generation: newest.generation, epoch: newest.epoch };
  const ends = begun.map(({ _id: id, epoch }) => ({ id, epoch }));
  const moveOf = (sent: PageRecord[]): PageMove => ({
    ...{ channel: slug, entity_type, ends, released: [] },
    fence: { id: fence.id, epoch: fence.epoch },
    set_aside: setAsideOf(slice, sent),
  });
  const page = { fence, channel, total: records.length, number: 1, moveOf };
  const posted = await giveOutRecords(slice, page, records);
  if ('end' in posted)
    return posted.end === 'unconfirmed' && mayBeOfItsRecords(posted) ? 'undecided' : posted;
  const { sent, bytes } = posted;
  if (sent.length === 0) await finishCatchUps(process.store, ends);
  else if (await makeMove(process.store, moveOf(sent))) countConfirmed(slice, sent, { bytes, pages: 1 });
  return undefined;
}
