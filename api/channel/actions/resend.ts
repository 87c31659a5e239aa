import { resend } from '../../../control/resend';
import { trimmed } from '../../../domain/pasted-text';
import { TooManyRecords } from '../../../store/window/choose-records';
import { resendRequest, TOO_MANY } from '../resend-request';
import { act, NO_REASON } from '../act';
import { byTheRules } from '../by-the-rules';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel-page';
import type { PageDeps, SignedInContext } from '../signed-in-state';

const NAMES = { entity_type: 'The entity type', account: 'The account' };

/** Sends the records of one account again, and moves no marker (docs/contract.md C23). */
export async function resendFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const { form } = ctx.state;
  const refuse = (field: string, message: string) =>
    answerChannel(ctx, deps, channel, { form: 'resend', field, message });
  const body = { entity_type: form.get('entity_type'), account: trimmed(form.get('account') ?? '') };
  const asked = byTheRules(NAMES, () => resendRequest(channel, body));
  if ('message' in asked) return refuse(asked.field, asked.message);
  try {
    const acted = await act(ctx, deps, 'resend', channel, (asker) => resend(deps, channel, asked, asker));
    if (!acted) await refuse('reason', NO_REASON);
  } catch (error) {
    if (!(error instanceof TooManyRecords)) throw error;
    await refuse('account', `${NAMES.account} ${TOO_MANY}`);
  }
}
