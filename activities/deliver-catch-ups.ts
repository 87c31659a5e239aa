import { type CatchUp, finishCatchUp, listCatchUps } from '../store/catch-ups';
import { beginAttempt } from '../store/markers';
import type { WindowEnd } from './deliver-pages';
import { deliverReleased } from './deliver-released';
import { type DeliveryRun, deliverWindow, isSpent } from './deliver-window';

/** Everything that newly granted accounts had before, account by account, of one entity type (design 4). */
export async function deliverCatchUps(run: DeliveryRun): Promise<WindowEnd> {
  const { store, input } = run;
  for (const catchUp of await listCatchUps(store, input.channel, input.entity_type)) {
    // Lined up since the plan: the counter was not seen to be so far in this session (commit-order 2). The next run's.
    if (catchUp.until > input.to) continue;
    if (isSpent(run)) return { end: 'more' };
    const end = await deliverCatchUp(run, catchUp);
    if (end.end !== 'delivered') return end;
  }
  return deliverReleased(run);
}

async function deliverCatchUp(run: DeliveryRun, { _id, generation }: CatchUp): Promise<WindowEnd> {
  const begun = (await beginAttempt(run.store, _id, generation, run.session)) as CatchUp | null;
  // Revoked, granted again or cut short by a reset since it was listed: what is left is planned with the next run.
  if (!begun) return { end: 'delivered' };
  const { until: to, total, account } = begun;
  const end = await deliverWindow(run, begun, { to, total, account });
  if (end.end === 'superseded') return { end: 'delivered' };
  if (end.end === 'delivered') await finishCatchUp(run.store, { id: _id, epoch: begun.epoch });
  return end;
}
