import type { Asker, Result } from '../../control/record-action';
import { oneLine } from '../../domain/one-line';
import type { Channel } from '../../store/feed/channels';
import type { ChannelActionName } from '../../store/access/operator-actions';
import { goTo } from '../pages/answer-page';
import type { Deps, OperatorContext } from '../route';
import { OpsPageError } from './ops-page-error';
import { pathOf } from './paths';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The error message for a missing reason. */
export const NO_REASON = 'Enter a reason, up to 200 characters on one line';

/**
 * Runs the action that a form requests and redirects to the channel's page. A form that is posted twice runs once.
 * @returns false when the reason is missing and nothing was done
 */
export async function act(
  ctx: OperatorContext,
  { log }: Deps,
  action: ChannelActionName,
  { _id: channel }: Channel,
  run: (asker: Asker & { reason: string }) => Promise<Result | undefined>,
): Promise<boolean> {
  const { form, operator, requestId: request_id, logged } = ctx.state;
  const reason = oneLine(form.get('reason') ?? '');
  if (reason === undefined) return false;
  const action_id = formIdOf(form);
  const asker = { by: operator.name, via: '/ops' as const, reason, request_id };
  logged['action'] = action;
  const result = await run({ ...asker, action_id });
  if (result) log.info({ action, channel, ...asker, outcome: result.outcome }, 'operator acted');
  goTo(ctx, `${pathOf('channel', channel)}?did=${action_id}`);
  return true;
}

function formIdOf(form: URLSearchParams): string {
  const id = form.get('form') ?? '';
  if (!UUID.test(id)) throw new OpsPageError('unreadable');
  return id;
}
