import type { Asker, Result } from '../../control/record-action';
import { oneLine } from '../../domain/one-line';
import type { Channel } from '../../store/channels/channels';
import { endOfCustomersAction } from './channel-asker';
import { goTo } from '../pages/answer-page';
import { pathOf } from './door';
import { PageError } from './page-error';
import type { FormName } from './views/form-problem';
import type { PageDeps, SignedInContext } from './signed-in-state';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The error message for a missing reason. */
export const NO_REASON = 'Enter a reason, up to 200 characters on one line';

type AskerWithReason = Asker & { reason: string };

/**
 * Runs the action that a form requests and redirects to the channel's page. A form that is posted twice runs once.
 * @returns false when the reason is missing and nothing was done
 */
export async function act(
  ctx: SignedInContext,
  deps: PageDeps,
  action: FormName,
  { _id: channel }: Channel,
  run: (asker: AskerWithReason) => Promise<Result | undefined>,
): Promise<boolean> {
  const asker = askerOf(ctx, deps);
  if (!asker) return false;
  const { door, logged } = ctx.state;
  const { action_id, by, via, reason, request_id } = asker;
  logged['action'] = action;
  const result = await run(asker);
  if (result) {
    const acted = { action, channel, by, via, reason, request_id, outcome: result.outcome };
    deps.log.info(acted, door.holder === 'operator' ? 'operator acted' : 'customer acted');
  }
  goTo(ctx, `${pathOf(door, 'channel', channel)}?did=${action_id}`);
  return true;
}

/** Who asks, and why, by the posted form; undefined when the reason is missing. */
export function askerOf(ctx: SignedInContext, deps: PageDeps): AskerWithReason | undefined {
  const { door, form, by, requestId: request_id } = ctx.state;
  const reason = oneLine(form.get('reason') ?? '');
  if (reason === undefined) return undefined;
  const expires_at = door.holder === 'channel' ? endOfCustomersAction(deps) : undefined;
  return {
    by,
    via: door.via,
    reason,
    request_id,
    action_id: formIdOf(form),
    ...(expires_at && { expires_at }),
  };
}

function formIdOf(form: URLSearchParams): string {
  const id = form.get('form') ?? '';
  if (!UUID.test(id)) throw new PageError('unreadable');
  return id;
}
