import { answerPage } from '../pages/answer-page';
import type { Deps, SignedInContext } from '../route';
import { readChannelRows } from './channel-rows';
import { readIntegrationRows } from './integration-rows';
import { pageContext } from '../pages/channel/page-context';
import { channelsPage } from './pages/channels-page';

/** `GET /ops`: every channel, the most urgent first, and every ERP. */
export async function showChannelsPage(ctx: SignedInContext, deps: Deps): Promise<void> {
  const now = new Date();
  const rows = await readChannelRows(deps.store, now);
  const integrations = await readIntegrationRows(deps.store, now);
  answerPage(ctx, channelsPage({ context: pageContext(ctx, deps, now), rows, integrations }));
}
