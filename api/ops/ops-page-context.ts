import { maskToken } from '../pages/csrf';
import { roleOf } from '../../store/access/operators';
import type { Deps, OperatorContext } from '../route';
import type { OpsSettings } from './operator-state';
import type { OpsPageContext } from './pages/ops-layout';

/** The context that all pages of a session share. */
export function opsPageContext(ctx: OperatorContext, { ops }: Deps, now: Date): OpsPageContext {
  const { operator, session } = ctx.state;
  return {
    service: ops.serviceName,
    operator: operator.name,
    mayAct: roleOf(operator) === 'operate',
    csrf: maskToken(session.csrf),
    now,
    workflowLink: (id, runId) => workflowLink(ops, id, runId),
  };
}

/** A workflow's page in the Temporal UI, or undefined when its address is unknown. */
function workflowLink(
  { temporalUiUrl, temporalNamespace }: OpsSettings,
  id: string,
  runId?: string,
): string | undefined {
  if (!temporalUiUrl) return undefined;
  const parts = ['namespaces', temporalNamespace, 'workflows', id, ...(runId ? [runId] : [])];
  return `${temporalUiUrl.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
