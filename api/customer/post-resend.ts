import { resend, ResendInProgress, type Resending } from '../../control/resend';
import { parseStrictJson } from '../../domain/strict-json';
import { TooManyRecords } from '../../store/window/choose-records';
import { channelAsker } from '../channel/asker-of';
import { invalid, rateLimited } from '../http/http-error';
import type { PageDeps } from '../channel/signed-in-state';
import type { ChannelContext } from '../http/route';
import { resendRequest, TOO_MANY } from '../channel/resend-request';

const WAIT_MS = 5_000;

/** `POST .../resend`: sends single records again, and moves no marker (docs/contract.md C23). */
export async function postResend(ctx: ChannelContext, deps: PageDeps): Promise<void> {
  const { channel, logged } = ctx.state;
  const asked = resendRequest(channel, parseStrictJson(ctx.state.body));
  const sent = await resend(deps, channel, asked, channelAsker(ctx.state, deps)).catch((error: unknown) => {
    if (error instanceof ResendInProgress) throw rateLimited(WAIT_MS);
    throw error instanceof TooManyRecords ? invalid({ account: [TOO_MANY] }) : error;
  });
  const { records, unknown, starts } = sent as Resending;
  Object.assign(logged, { entity_type: asked.entityType, records, unknown: unknown.length, starts });
  ctx.body = { records, unknown, starts };
}
