import { listChannelMarkers } from '../../store/list-channel-markers';
import type { ChannelContext, Deps } from '../route';

/** `GET .../markers`: how far the customer has confirmed, and what is still to come (contract 4). */
export async function listMarkers(ctx: ChannelContext, { store }: Deps): Promise<void> {
  ctx.body = { data: await listChannelMarkers(store, ctx.state.channel) };
}
