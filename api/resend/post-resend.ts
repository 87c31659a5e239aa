import { resend, type Resending } from '../../control/resend';
import { parseStrictJson } from '../../domain/strict-json';
import { TooManyRecords } from '../../store/feed/choose-records';
import { channelAsker } from '../channel-asker';
import { invalid, rateLimited } from '../http-error';
import type { ChannelContext, Deps } from '../route';
import { createShares } from '../shares';
import { resendRequest, TOO_MANY } from './resend-request';

// All of an account may be 100,000 records, each of which is written: one at a time for a customer.
const accountsOf = createShares(1);
const WAIT_MS = 5_000;

/** `POST .../resend`: sends single records again, and moves no marker (docs/contract.md C23). */
export async function postResend(ctx: ChannelContext, deps: Deps): Promise<void> {
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
