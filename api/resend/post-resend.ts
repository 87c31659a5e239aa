import { resend, type Resending } from '../../control/resend';
import { parseStrictJson } from '../../domain/strict-json';
import { TooManyRecords } from '../../store/feed/choose-records';
import { channelAsker } from '../channel-asker';
import { invalid } from '../http-error';
import type { ChannelContext, Deps } from '../route';
import { resendRequest, TOO_MANY } from './resend-request';

/** `POST .../resend`: sends single records again, and moves no marker (docs/contract.md C23). */
export async function postResend(ctx: ChannelContext, deps: Deps): Promise<void> {
  const { channel, logged } = ctx.state;
  const asked = resendRequest(channel, parseStrictJson(ctx.state.body));
  const sent = await resend(deps, channel, asked, channelAsker(ctx.state, deps)).catch((error: unknown) => {
    throw error instanceof TooManyRecords ? invalid({ account: [TOO_MANY] }) : error;
  });
  const { records, unknown, starts } = sent as Resending;
  Object.assign(logged, { entity_type: asked.entityType, records, unknown: unknown.length, starts });
  ctx.body = { records, unknown, starts };
}
