import type { Agent } from 'undici';
import type { EntityType } from '../domain/entity-types';
import type { Totals } from '../domain/totals';
import type { Store } from '../store/connect';
import { readCeiling } from '../store/counters';
import { readSetAside } from '../store/set-aside';
import { type FailedAttempt, openDelivery, reportProgress } from '../store/deliveries';
import type { Trigger } from '../workflows/messages';
import { currentDelivery } from './current-delivery';
import { HostTurns } from './customer/host-turns';
import { deliverCatchUps } from './deliver-catch-ups';
import type { Said, Unconfirmed } from './deliver-page';
import { type DeliveryRun, deliverOwnWindow } from './deliver-window';
import { createSelections } from './selections';
import { withHeartbeat } from './with-heartbeat';

export interface DeliverInput {
  channel: string;
  entity_type: EntityType;
  /** The catch-ups of the entity type instead of the channel's own window. */
  catch_up: boolean;
  run: number;
  trigger: Trigger;
  generation: number;
  from: number;
  to: number;
  records: number;
  page_size: number;
  /** What earlier activities of this delivery have confirmed. */
  done: Totals;
  /** Its first activity, which hands back sooner: the others wait in a queue of their own. */
  first: boolean;
}

/** `more`: this activity's part is done, the window is not. */
export type WindowEnd =
  | { end: 'delivered' | 'more' | 'superseded' | 'resized' | 'paused'; unconfirmed?: undefined }
  | { end: 'unconfirmed'; unconfirmed: Unconfirmed };

export type DeliverResult = WindowEnd & {
  totals: Totals;
  /** The last answer, for the operator: "200 in 84 ms". */
  last: string | null;
};

export interface DeliverDeps {
  store: Store;
  agent: Agent;
  /** How long the report of a delivery is kept. */
  retentionDays: number;
  /** True once the process is asked to stop: the page in flight is finished, the next one handed back. */
  draining: () => boolean;
}

/** A read answered with less than the planner had already seen; a later try reads further (commit-order 2). */
class StaleRead extends Error {
  override name = 'StaleRead';
}

/**
 * Delivers pages of one window until it is done, 50 pages or a minute are, or something stops it. The marker moves
 * after each confirmed page, and a retry starts from the marker (commit-order 3).
 */
export function createDeliverPages(deps: DeliverDeps) {
  const selections = createSelections(deps.store);
  const turns = new HostTurns();
  return async function deliverPages(input: DeliverInput): Promise<DeliverResult> {
    const { delivery, runId } = currentDelivery();
    return withHeartbeat((show, signal) =>
      deps.store.client.withSession({ causalConsistency: true }, async (session) => {
        const ceiling = await readCeiling(deps.store, input.entity_type, session);
        if (ceiling < input.to) throw new StaleRead(`the ceiling was ${input.to} and now reads ${ceiling}`);
        await openDelivery(
          deps.store,
          { _id: delivery, workflow_run_id: runId, ...input },
          deps.retentionDays,
        );
        const run: DeliveryRun = {
          ...deps,
          turns,
          selections,
          input,
          delivery,
          session,
          show,
          signal,
          aside: await readSetAside(deps.store, input),
          ...opening(input),
        };
        const end = input.catch_up ? await deliverCatchUps(run) : await deliverOwnWindow(run);
        await reportProgress(deps.store, delivery, run.totals, failedAttempt(end, run.said));
        return { ...end, totals: run.totals, last: run.last };
      }),
    );
  };
}

const opening = (input: DeliverInput) => ({
  totals: { ...input.done },
  last: null,
  said: { answer: '', request_id: '' },
  posted: 0,
  started: Date.now(),
});

function failedAttempt({ unconfirmed }: WindowEnd, { answer, request_id }: Said): FailedAttempt | undefined {
  if (!unconfirmed) return undefined;
  const { failure, status, reason } = unconfirmed;
  return { at: new Date(), failure, status, reason, answer, request_id };
}
