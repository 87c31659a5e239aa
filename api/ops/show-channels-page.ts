import { timeNow } from '../../domain/time/elapsed';
import { listClosed } from '../../store/channels/channels';
import { answerPage } from '../pages/answer-page';
import { readChannelRows } from './channel-rows';
import { readIntegrationRows } from './integration-rows';
import { pageContext } from '../channel/page-context';
import { channelsPage } from './pages/channels-page';
import type { PageDeps, SignedInContext } from '../channel/signed-in-state';

/** `GET /ops`: every channel, the most urgent first, and every ERP. */
export async function showChannelsPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const now = timeNow();
  const rows = await readChannelRows(deps.store, now);
  const closed = await listClosed(deps.store);
  const integrations = await readIntegrationRows(deps.store, now);
  answerPage(ctx, channelsPage({ context: pageContext(ctx, deps, now), rows, closed, integrations }));
}
