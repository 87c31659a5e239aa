import { answerPage } from '../pages/answer-page';
import type { Deps, OperatorContext } from '../route';
import { readChannelRows } from './channel-rows';
import { readIntegrationRows } from './integration-rows';
import { opsPageContext } from './ops-page-context';
import { channelsPage } from './pages/channels-page';

/** `GET /ops`: every channel, the most urgent first, and every ERP. */
export async function showChannelsPage(ctx: OperatorContext, deps: Deps): Promise<void> {
  const now = new Date();
  const rows = await readChannelRows(deps.store, now);
  const integrations = await readIntegrationRows(deps.store, now);
  answerPage(ctx, channelsPage({ context: opsPageContext(ctx, deps, now), rows, integrations }));
}
