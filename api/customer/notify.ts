import { setNotifyUrl } from '../../control/set-notify-url';
import { checkNotifyUrl } from '../../domain/base-url';
import { trimmed } from '../../domain/pasted-text';
import { act, NO_REASON } from '../channel/act';
import { channelOf } from '../channel/channel-of';
import { answerChannel } from '../channel/show-channel-page';
import type { PageDeps, SignedInContext } from '../channel/signed-in-state';

/** Sets or removes the address at which the customer is told what happens to its channel (docs/contract.md C26). */
export async function notifyFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const refuse = (field: string, message: string) =>
    answerChannel(ctx, deps, channel, { form: 'notify', field, message });
  const typed = trimmed(ctx.state.form.get('notify_url') ?? '');
  const checked = typed === '' ? { notifyUrl: '' } : checkNotifyUrl(typed, deps.pages);
  if ('problem' in checked) return refuse('notify_url', `The address ${checked.problem}`);
  const acted = await act(ctx, deps, 'notify', channel, (asker) =>
    setNotifyUrl(deps, channel, checked.notifyUrl, asker),
  );
  if (!acted) await refuse('reason', NO_REASON);
}
