import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import type { ChannelContext, Deps } from '../http/route';

/** `GET .../markers`: how far the customer has confirmed, and what is pending (docs/contract.md C17). */
export async function getMarkers(ctx: ChannelContext, { store }: Deps): Promise<void> {
  ctx.body = { data: await listChannelMarkers(store, ctx.state.channel) };
}
