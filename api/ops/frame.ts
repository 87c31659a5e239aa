import { maskToken } from '../pages/csrf';
import type { Deps, OperatorContext } from '../route';
import type { OpsFrame } from './pages/ops-layout';
import { workflowLink } from './workflow-link';

/** What the pages of a session have in common. */
export function frameOf(ctx: OperatorContext, { ops }: Deps, now: Date): OpsFrame {
  const { operator, session } = ctx.state;
  return {
    service: ops.serviceName,
    operator: operator.name,
    csrf: maskToken(session.csrf),
    now,
    workflowLink: (id, runId) => workflowLink(ops, id, runId),
  };
}
