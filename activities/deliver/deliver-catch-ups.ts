import { type CatchUp, finishCatchUp, listCatchUps, remainingOf } from '../../store/markers/catch-ups';
import { type Progress, takeEpoch } from '../../store/markers/markers';
import { type DeliverySlice, type Ended, endpointWorks, isSpent, type Unanswered } from './slice';
import { deliverReleased } from './deliver-released';
import { openCursor } from './cursor';
import { deliverWindow } from './deliver-window';
import { MAX_SET_ASIDE } from './search-page';

// Per delivery, so that a grant that comes during it waits for no more. The plan sets `more` when there are others.
export const MAX_CATCH_UPS = 50;

/**
 * Delivers the earlier records of newly granted accounts, account by account, then the released records. A refused
 * record blocks no other account: when all records of an account are refused, the next accounts show whether the
 * endpoint refuses these records or everything.
 */
export async function deliverCatchUps(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, session } = slice;
  const all = await listCatchUps(process.store, input.channel, input.entity_type, {
    limit: MAX_CATCH_UPS,
    session,
  });
  const undecided: { catchUp: CatchUp; ended: Unanswered }[] = [];
  let isLeft = false;
  for (const catchUp of all) {
    // Begun after the plan, above the ceiling that this session has seen: left to the next run.
    if (catchUp.until > input.to) continue;
    // As many as were planned, since newer ones may have come before those of the plan. What is through only ends.
    const isEnough = input.records > 0 && slice.tally.totals.records >= input.records;
    if (isEnough && remainingOf(catchUp) > 0) {
      isLeft = true;
      continue;
    }
    if (isSpent(slice)) return { end: 'more' };
    const ended = await deliverCatchUp(slice, catchUp);
    if (!isUndecided(ended)) {
      if (ended) return ended;
      continue;
    }
    slice.tally.undecided = undecided.push({ catchUp, ended });
    if (undecided.length >= MAX_SET_ASIDE && !endpointWorks(slice)) return ended;
  }
  const ended = (await deliverReleased(slice)) ?? (await decide(slice, undecided));
  // Another plan or a reset has made them more than were planned: they are planned again at once.
  return ended ?? (isLeft && !input.more ? { end: 'superseded' } : undefined);
}

const isUndecided = (ended: Ended | undefined): ended is Unanswered =>
  ended?.end === 'unconfirmed' && ended.isEndpoint === true;

/** Tries again once other accounts were confirmed: a record that is refused again is the cause itself. */
async function decide(
  slice: DeliverySlice,
  undecided: { catchUp: CatchUp; ended: Unanswered }[],
): Promise<Ended | undefined> {
  for (const { catchUp, ended } of undecided) {
    if (!endpointWorks(slice)) return ended;
    if (isSpent(slice)) return { end: 'more' };
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
  const cursor = await openCursor(slice, begun, {
    to,
    total: total ?? 0,
    account,
    read: 'positions',
    endpointWorks: endpointWorks(slice),
    progress: { delivery, ...soFar(begun, input.page_size) },
  });
  const ended = await deliverWindow(slice, cursor);
  if (ended?.end === 'superseded') return undefined;
  if (ended) return ended;
  await finishCatchUp(process.store, { id: _id, epoch });
  return undefined;
}

/** Page numbers continue across deliveries; pages of another size are converted to full pages of the current size. */
function soFar({ progress }: CatchUp, pageSize: number): Omit<Progress, 'delivery'> {
  if (!progress) return { pages: 0, records: 0, bytes: 0 };
  const { pages, records, bytes, page_size } = progress;
  return { pages: page_size === pageSize ? pages : Math.floor(records / pageSize), records, bytes };
}
