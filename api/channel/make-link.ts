import { timeNow } from '../../domain/elapsed';
import { makeFarmerLink, type LinkAsked, type NoLink } from '../../control/make-farmer-link';
import { recordAction } from '../../control/record-action';
import { partnerId } from '../../domain/link-parts';
import { parsePhone } from '../../domain/parse-phone';
import { trimmed } from '../../domain/pasted-text';
import type { Wrong } from './actions';
import { askerOf, logActed, NO_REASON } from './asker-of';
import { channelOf } from './channel-of';
import { pageContext } from './page-context';
import { answerPage } from '../pages/answer-page';
import type { FormProblem } from './views/form-problem';
import { linkPage, type MadeLink } from './views/link-page';
import type { PageDeps, SignedInContext } from './signed-in-state';

const WHY_NONE: Record<NoLink, Wrong> = {
  everything: { field: 'phone', message: 'Your channel gets every record without a farmer’s grant' },
  keyless: {
    field: 'phone',
    message: 'Your channel has no key to sign links with: ask the operator for one',
  },
  'no origin': {
    field: 'callback_url',
    message: 'No address to return to is set for your channel: ask the operator to add one',
  },
  foreign: { field: 'callback_url', message: 'The address must be at one that the operator knows as yours' },
};
const AGAIN = { field: 'phone', message: 'This form was already sent. Send it again to make another link' };

/** Shows the form, above it what was said to the one before. It changes nothing, so it is a GET. */
export async function askLink(
  ctx: SignedInContext,
  deps: PageDeps,
  said: { problem?: FormProblem; made?: MadeLink } = {},
): Promise<void> {
  const context = pageContext(ctx, deps, timeNow());
  const channel = await channelOf(ctx, deps);
  answerPage(ctx, linkPage({ context, channel, typed: ctx.state.form, ...said }), said.problem ? 422 : 200);
}

/**
 * Makes the link, and shows it in this answer only, above the form for the next one. Its record does not name
 * the farmer.
 */
export async function linkFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const refuse = (wrong: Wrong) => askLink(ctx, deps, { problem: { form: 'link', ...wrong } });
  const asked = readAsked(ctx.state.form);
  if ('message' in asked) return refuse(asked);
  const asker = askerOf(ctx, deps);
  if (!asker) return refuse({ field: 'reason', message: NO_REASON });
  ctx.state.logged['action'] = 'link';
  const action = { action: 'channel link', channel: channel._id, before: {} } as const;
  const done = await recordAction(deps, asker, action, async () => {
    const made = await makeFarmerLink(deps.store, channel, asked, deps.pages.publicUrl);
    return { made, outcome: typeof made === 'string' ? 'Not done.' : 'Done.' };
  });
  if (!done) return refuse(AGAIN);
  const { made, outcome } = done;
  logActed(deps, ctx.state.door, asker, { action: 'link', channel: channel._id, outcome });
  if (typeof made === 'string') return refuse(WHY_NONE[made]);
  await askLink(ctx, deps, { made });
}

function readAsked(form: URLSearchParams): LinkAsked | Wrong {
  const given = (name: string) => trimmed(form.get(name) ?? '');
  const [id, phone] = [partnerId(given('partner_id')), parsePhone(given('phone'))];
  const days = /^\d{1,3}$/.test(given('days')) ? Number(given('days')) : 0;
  if (id === undefined)
    return { field: 'partner_id', message: 'Enter what you know the farmer by, up to 128 characters' };
  if (phone === undefined) return { field: 'phone', message: 'Enter ten digits, or eleven with a leading 1' };
  if (days < 1 || days > 366) return { field: 'days', message: 'Enter 1 to 366 days' };
  return { partnerId: id, phone, callbackUrl: given('callback_url'), days };
}
