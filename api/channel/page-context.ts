import type { PageDeps, PageSettings, SignedInContext } from './signed-in-state';
import { maskToken } from '../pages/csrf';
import type { ChannelPageContext } from './views/page-layout';

/** The context that all pages of a session share. */
export function pageContext(ctx: SignedInContext, { pages }: PageDeps, now: Date): ChannelPageContext {
  const { door, by: who, mayAct, session } = ctx.state;
  return {
    service: pages.serviceName,
    door,
    who,
    mayAct,
    csrf: maskToken(session.csrf),
    now,
    ...(door.holder === 'operator' && { workflowLink: (id, runId) => workflowLink(pages, id, runId) }),
  };
}

/** A workflow's page in the Temporal UI, or undefined when its address is unknown. */
function workflowLink(
  { temporalUiUrl, temporalNamespace }: PageSettings,
  id: string,
  runId?: string,
): string | undefined {
  if (!temporalUiUrl) return undefined;
  const parts = ['namespaces', temporalNamespace, 'workflows', id, ...(runId ? [runId] : [])];
  return `${temporalUiUrl.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
