import { timeIn } from '../../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import type { AnyDeed } from '../../control/deed';
import type { Asker } from '../../control/record-action';
import { oneLine } from '../../domain/text/one-line';
import { DAY_MS } from '../../domain/time/spans';
import type { ChannelContext } from '../http/route';
import type { Door } from './door';
import { PageError } from './page-error';
import type { PageDeps, SignedInContext } from './signed-in-state';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The error message for a missing reason. */
export const NO_REASON = 'Enter a reason, up to 200 characters on one line';

/** Whether a deed's form asks for a reason at this door. */
export const asksWhy = ({ page }: AnyDeed, { holder }: Door) =>
  holder === 'operator' || !page!.whyOfOperators;

/** Who asks, and why, by the posted form; undefined when the reason is missing. */
export function askerOf(deed: AnyDeed, ctx: SignedInContext, deps: PageDeps): Asker | undefined {
  const { door, form, by, requestId: request_id } = ctx.state;
  const reason = asksWhy(deed, door) ? oneLine(form.get('reason') ?? '') : null;
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

/** Logs an action that was done. */
export function logActed(
  { log }: PageDeps,
  { holder }: Door,
  { by, via, reason, request_id }: Asker,
  done: { action: string; channel: string; outcome?: string },
): void {
  const who = holder === 'operator' ? 'operator' : 'customer';
  log.info({ ...done, by, via, reason, request_id }, `${who} acted`);
}

function formIdOf(form: URLSearchParams): string {
  const id = form.get('form') ?? '';
  if (!UUID.test(id)) throw new PageError('unreadable');
  return id;
}

/** A customer who acts through the API. Its actions are kept for a time only, as it can act as often as the rate allows. */
export function channelAsker(
  { channel, requestId: request_id }: Pick<ChannelContext['state'], 'channel' | 'requestId'>,
  deps: Pick<PageDeps, 'pages'>,
): Asker {
  const expires_at = endOfCustomersAction(deps);
  return { by: channel.name, via: 'API', reason: null, request_id, action_id: randomUUID(), expires_at };
}

/** When the record of a customer's action expires: with the reports of failed deliveries. */
const endOfCustomersAction = ({ pages }: Pick<PageDeps, 'pages'>) => timeIn(pages.retentionDays * DAY_MS);
