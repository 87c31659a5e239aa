import type { Logger } from 'pino';
import type { Bell } from '../bell/bell';
import { createDeliverPages, type DeliverDeps } from './deliver-pages';
import { createPlanRun } from './plan-run';
import { createReconcile } from './reconcile';
import { createRecordOutcome } from './record-outcome';
import { type AlertDeps, createSendAlert } from './send-alert';

/** The deeds, by the names an operator sees in the Temporal UI. */
export function createActivities(deps: DeliverDeps & AlertDeps & { bell: Bell; log: Logger }) {
  return {
    planRun: createPlanRun(deps),
    deliverPages: createDeliverPages(deps),
    recordOutcome: createRecordOutcome(deps),
    reconcile: createReconcile(deps),
    sendAlert: createSendAlert(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;
