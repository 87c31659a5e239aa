import type { Logger } from 'pino';
import type { ChannelWorkflows } from './channel-workflows';
import type { DeliverDeps } from './deliver/slice';
import { createDeliverPages } from './deliver/deliver-pages';
import { createPlanRun } from './plan-run';
import { createPostTestPage } from './post-test-page';
import { createReconcile } from './reconcile';
import { createRecordOutcome } from './record-outcome';
import { type AlertDeps, createSendAlert } from './send-alert';
import { createTellCustomers } from './tell-customers';

/** The activities, by the names an operator sees in the Temporal UI. */
export function createActivities(
  deps: DeliverDeps &
    AlertDeps & { temporal: ChannelWorkflows; log: Logger; /** When the process started. */ began?: Date },
) {
  return {
    planRun: createPlanRun(deps),
    deliverPages: createDeliverPages(deps),
    recordOutcome: createRecordOutcome(deps),
    reconcile: createReconcile(deps),
    sendAlert: createSendAlert(deps),
    tellCustomers: createTellCustomers(deps),
    postTestPage: createPostTestPage(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;
