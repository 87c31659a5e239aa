import { workflowLink } from '../../temporal/workflow-link';
import type { PageDeps, SignedInContext } from './signed-in-state';
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
