import { answerPage } from '../pages/answer-page';
import type { Deps, OperatorContext } from '../route';
import { readChannelRows } from './channel-rows';
import { frameOf } from './frame';
import { channelsPage } from './pages/channels-page';

/** `GET /ops`: every channel, those that need somebody first. */
export async function showChannels(ctx: OperatorContext, deps: Deps): Promise<void> {
  const now = new Date();
  const rows = await readChannelRows(deps.store, now);
  answerPage(ctx, channelsPage({ frame: frameOf(ctx, deps, now), rows }));
}
