import { resend, type Resending } from '../../control/resend';
import { parseStrictJson } from '../../domain/strict-json';
import { TooManyRecords } from '../../store/window/choose-records';
import { channelAsker } from '../channel/channel-asker';
import { invalid, rateLimited } from '../http/http-error';
import type { PageDeps } from '../channel/signed-in-state';
import type { ChannelContext } from '../http/route';
import { createShares } from '../limits/shares';
import { resendRequest, TOO_MANY } from '../channel/resend-request';

// All of an account may be 100,000 records, each of which is written: one at a time for a customer.
const accountsOf = createShares(1);
const WAIT_MS = 5_000;

/** `POST .../resend`: sends single records again, and moves no marker (docs/contract.md C23). */
export async function postResend(ctx: ChannelContext, deps: PageDeps): Promise<void> {
  const { channel, logged } = ctx.state;
  const asked = resendRequest(channel, parseStrictJson(ctx.state.body));
  const ofAccount = 'account' in asked.choice;
  if (ofAccount && !accountsOf.take(channel._id)) throw rateLimited(WAIT_MS);
  const sent = await resend(deps, channel, asked, channelAsker(ctx.state, deps))
    .catch((error: unknown) => {
      throw error instanceof TooManyRecords ? invalid({ account: [TOO_MANY] }) : error;
    })
    .finally(() => ofAccount && accountsOf.giveBack(channel._id));
  const { records, unknown, starts } = sent as Resending;
  Object.assign(logged, { entity_type: asked.entityType, records, unknown: unknown.length, starts });
  ctx.body = { records, unknown, starts };
}
