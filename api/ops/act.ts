import { oneLine } from '../../domain/one-line';
import type { Channel } from '../../store/channels';
import { closeAction, openAction, type OperatorVerb } from '../../store/operator-actions';
import { goTo } from '../pages/answer-page';
import type { Deps, OperatorContext } from '../route';
import { OpsTrouble } from './ops-trouble';
import { pathOf } from './paths';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What an operator asks for. `about` as it is kept; empty where the verb says all. */
export interface Deed {
  verb: OperatorVerb;
  channel: Channel;
  about?: string;
  /** @returns what came of it */
  run(reason: string): Promise<string>;
}

/** Why a reason is none, in the words of the page. */
export const NO_REASON = 'Enter a reason, up to 200 characters on one line';

/**
 * Keeps what is asked for, does it, keeps what came of it, and goes back to the channel's page. The same form posted
 * twice is done once.
 * @returns false when no reason is given: nothing was done
 */
export async function act(ctx: OperatorContext, { store, log }: Deps, deed: Deed): Promise<boolean> {
  const { form, operator, requestId: request_id, logged } = ctx.state;
  const reason = oneLine(form.get('reason') ?? '');
  if (reason === undefined) return false;
  const { verb: action, about = '' } = deed;
  const { _id: channel } = deed.channel;
  const _id = formIdOf(form);
  const kept = { action, about, channel, reason, request_id, by: operator.name, via: '/ops' as const };
  logged['action'] = action;
  if (await openAction(store, { _id, ...kept })) {
    const outcome = await deed.run(reason);
    await closeAction(store, _id, outcome);
    log.info({ ...kept, outcome }, 'operator acted');
  }
  goTo(ctx, `${pathOf('channel', channel)}?did=${_id}`);
  return true;
}

function formIdOf(form: URLSearchParams): string {
  const id = form.get('form') ?? '';
  if (!UUID.test(id)) throw new OpsTrouble('unreadable');
  return id;
}
