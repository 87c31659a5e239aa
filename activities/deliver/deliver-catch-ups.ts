import { type CatchUp, finishCatchUps, listCatchUps, remainingOf } from '../../store/markers/catch-ups';
import { type Progress, takeEpoch } from '../../store/markers/markers';
import { batchesOf } from '../../store/records/records';
import { type DeliverySlice, type Ended, endpointWorks, isAtLimit, type NotConfirmed } from './slice';
import { deliverReleased } from './deliver-released';
import { deliverTogether } from './deliver-together';
import { deliverWindow } from './deliver-window';
import { mayBeOfItsRecords, MAX_SET_ASIDE } from './search-page';

// Per delivery, so that a grant that comes during it waits for no more. The plan sets `more` for the rest.
export const MAX_CATCH_UPS = 50;

/**
 * Delivers the earlier records of newly granted accounts, as many accounts to a page as fit whole, then the
 * released records. If one record may be why a page of several accounts was not confirmed, each account is
 * delivered by itself, so that a refused record blocks no other account. When all records of an account are
 * refused, the next accounts show whether the endpoint refuses these records or everything. Accounts at which the
 * receiver failed, now or earlier, go last (docs/contract.md C10).
 */
export async function deliverCatchUps(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, session } = slice;
  const all = await listCatchUps(process.store, input.channel, input.entity_type, {
    limit: MAX_CATCH_UPS,
    session,
  });
  const undecided: { catchUp: CatchUp; ended: NotConfirmed }[] = [];
  let failed: NotConfirmed | undefined;
  let isLeft = false;
  // The others began after the plan, maybe above the ceiling that this session saw. The next run has them.
  const planned = all.filter(({ until }) => until <= input.to);
  const failedBefore = planned.filter(({ stumble }) => stumble);
  const others = planned.filter(({ stumble }) => !stumble);
  const queue = [
    ...(input.unanswered ? batchesOf(others, 1) : pagesOf(others, input.page_size)),
    ...batchesOf(failedBefore, 1),
  ];
  for (let page = queue.shift(); page; page = queue.shift()) {
    // Newer catch-ups may have come first, so this stops at the planned number of records. Catch-ups with
    // nothing left are still finished.
    const isEnough = input.records > 0 && slice.tally.totals.records >= input.records;
    if (isEnough && leftOf(page) > 0) {
      isLeft = true;
      continue;
    }
    if (isAtLimit(slice)) return { end: 'more' };
    const [catchUp] = page;
    const ended = await (page.length > 1 ? deliverTogether(slice, page) : deliverCatchUp(slice, catchUp!));
    if (ended === 'undecided') {
      queue.splice(0, Infinity, ...batchesOf([...page, ...queue.flat()], 1));
    } else if (isUndecided(ended)) {
      undecided.push({ catchUp: catchUp!, ended });
      slice.tally.undecided += 1;
      if (undecided.length >= MAX_SET_ASIDE && !endpointWorks(slice)) return ended;
    } else if (!failed && isFailure(ended)) {
      failed = ended;
      slice.tally.undecided += 1;
    } else if (ended) return ended;
  }
  const ended = (await deliverReleased(slice)) ?? (await decide(slice, undecided)) ?? failed;
  // More records were left than planned, by another plan or a reset: the type is planned again.
  return ended ?? (isLeft ? { end: 'delivered', more: true } : undefined);
}

const leftOf = (page: CatchUp[]) => page.reduce((sum, catchUp) => sum + remainingOf(catchUp), 0);

/** Groups catch-ups in their order: as many share a page as fit whole. */
function pagesOf(list: CatchUp[], size: number): CatchUp[][] {
  const pages: CatchUp[][] = [];
  for (const catchUp of list) {
    const last = pages.at(-1);
    if (last && leftOf([...last, catchUp]) <= size) last.push(catchUp);
    else pages.push([catchUp]);
  }
  return pages;
}

const isUndecided = (ended: Ended | undefined): ended is NotConfirmed =>
  ended?.end === 'unconfirmed' && ended.isEndpoint === true;

const isFailure = (ended: Ended | undefined): ended is NotConfirmed =>
  ended?.end === 'unconfirmed' && ended.unconfirmed.failure === 'unavailable' && mayBeOfItsRecords(ended);

/** Tries again once other accounts were confirmed: a record that is refused again is the cause itself. */
async function decide(
  slice: DeliverySlice,
  undecided: { catchUp: CatchUp; ended: NotConfirmed }[],
): Promise<Ended | undefined> {
  for (const { catchUp, ended } of undecided) {
    if (!endpointWorks(slice)) return ended;
    if (isAtLimit(slice)) return { end: 'more' };
    const again = await deliverCatchUp(slice, catchUp);
    if (again) return again;
  }
  return undefined;
}

async function deliverCatchUp(
  slice: DeliverySlice,
  { _id, generation }: CatchUp,
): Promise<Ended | undefined> {
  const { process, input, delivery, session } = slice;
  const begun = (await takeEpoch(process.store, _id, generation, session)) as CatchUp | null;
  // Revoked, granted again or cut short by a reset since it was listed: the next run plans what is left.
  if (!begun) return undefined;
  const { until: to, total, account, epoch } = begun;
  const ended = await deliverWindow(slice, begun, {
    ...{ to, total: total ?? 0, account, read: 'positions' },
    progress: { delivery, ...soFar(begun, input.page_size) },
  });
  if ('end' in ended) return ended.end === 'superseded' ? undefined : ended;
  await finishCatchUps(process.store, [{ id: _id, epoch }]);
  return undefined;
}

/** Page numbers continue across deliveries; pages of another size are converted to full pages of the current size. */
function soFar({ progress }: CatchUp, pageSize: number): Omit<Progress, 'delivery'> {
  if (!progress) return { pages: 0, records: 0, bytes: 0 };
  const { pages, records, bytes, page_size } = progress;
  return { pages: page_size === pageSize ? pages : Math.floor(records / pageSize), records, bytes };
}
