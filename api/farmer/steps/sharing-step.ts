import { isLanguage } from '../../../domain/text/language';
import { countedAddress } from '../../http/caller-address';
import {
  changeSession,
  openFarmerSession,
  phoneOf,
  type Stopped,
} from '../../../store/sessions/farmer-sessions';
import { type Shared, shareAccounts } from '../../../control/share-accounts';
import type { ConsentAct } from '../../../store/consent/consents';
import { noteStop } from '../../../store/consent/farmer-notices';
import { findFarmerId } from '../../../store/consent/farmers';
import { type Subscription, subscriptionKey } from '../../../store/consent/subscriptions';
import type { OpenContext } from '../../http/route';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { notePhoneCrowded } from '../note-activity';
import { sharingPage, STOPPED } from '../pages/sharing-page';
import { stopPage } from '../pages/stop-page';
import { SHARING } from '../paths';
import { endingOf } from '../phone-number';
import { preferredLanguage } from '../preferred-language';
import { problemIn, sayProblem } from '../say-problem';
import { sessionOf, setSessionCookie } from '../session-cookie';
import { referenceOf } from '../save-choices';
import { SHARING_TEXT_VERSION } from '../texts/texts';
import { FarmerPageError } from '../farmer-page-error';
import { countSession } from '../../limits/session-limits';
import { type Recipient, whoSees } from '../who-sees';
import type { FarmerDeps, SessionContext } from '../farmer-state';

/** `GET /sharing`: opens a visit, or continues this browser's. A phone that was proven for a link is not proven here. */
export async function openSharing(ctx: OpenContext, deps: FarmerDeps): Promise<void> {
  const { store, farmer } = deps;
  const session = await sessionOf(ctx, deps, 'sharing');
  if (session) return goTo(ctx, session.verified ? SHARING.customers : SHARING.phone);
  const waitMs = await countSession(store, countedAddress(ctx), undefined);
  if (waitMs > 0) throw new FarmerPageError('crowded', { waitMs });
  const linked = await sessionOf(ctx, deps, 'link');
  const visit = { link: null, phone: '', language: linked?.language ?? preferredLanguage(ctx) };
  setSessionCookie(ctx, farmer, 'sharing', await openFarmerSession(store, visit));
  goTo(ctx, SHARING.phone);
}

export async function showSharing(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  const { store } = deps;
  if (!session.verified) return goTo(ctx, SHARING.entry);
  const phone = phoneOf(store, session);
  const { recipients, crowded } = await whoSees(store, phone);
  notePhoneCrowded(deps, undefined, crowded);
  const context = farmerPageContext(ctx, deps);
  const asked = buttonOf(new URLSearchParams(ctx.search));
  const stopping = asked ? stoppedBy(stoppingOf(asked), recipients) : [];
  if (asked && stopping.length > 0) return answerPage(ctx, stopPage({ context, button: asked, stopping }));
  const page = sharingPage({
    context,
    phoneEnding: endingOf(phone),
    recipients,
    stopped: (problemIn(ctx, [STOPPED]) && session.stopped) ?? undefined,
    crowded: crowded.length > 0,
  });
  answerPage(ctx, page);
}

/** Stops sharing: `stopPage` has asked. After a mistake the farmer shares again with the customer's link. */
export async function submitSharing(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session, form, switched } = ctx.state;
  const copied = form.get('copy');
  if (session.verified && !switched && copied) {
    await changeSession(deps.store, session, { copy: { channel: copied, proven_at: null } });
    return goTo(ctx, SHARING.copy);
  }
  const pressed = buttonOf(form);
  if (session.verified && !switched && pressed) await stopSharing(ctx, deps, stoppingOf(pressed));
  const isSaid = switched ? form.get('said') === STOPPED : pressed !== undefined;
  if (session.verified && isSaid) return sayProblem(ctx, deps, SHARING.customers, STOPPED);
  goTo(ctx, switched ? `${SHARING.customers}${ctx.search}` : SHARING.customers);
}

type StopButton = Parameters<typeof stopPage>[0]['button'];

/** The button of a stop in a form, or in the address that asks about it. */
function buttonOf(form: URLSearchParams): StopButton | undefined {
  if (form.get('do') === 'stop-all') return { name: 'do', value: 'stop-all' };
  const value = form.get('stop');
  return value ? { name: 'stop', value } : undefined;
}

/** The button's value: `acme`, or `acme/42-1001`; a slug has no slash. */
function stoppingOf({ name, value }: StopButton): Stopping {
  if (name === 'do') return { all: true };
  const [slug = '', ...account] = value.split('/');
  return { slug, ...(account.length > 0 && { account: account.join('/') }) };
}

/** What a stop ends, by customer. */
const stoppedBy = (stopping: Stopping, recipients: Recipient[]) =>
  recipients.flatMap((recipient) => {
    const accounts = recipient.accounts.filter(({ id }) => isMeant(stopping, recipient, id));
    return accounts.length > 0 ? [{ recipient, accounts }] : [];
  });

/** The scope of a stop button: all customers, one customer, or one account of a customer. */
type Stopping = { all: true } | { slug: string; account?: string };

/** Ends the grants of these accounts under every partner_id, other phones' too. Grants that have ended before stay as they are. */
async function stopSharing(ctx: SessionContext, deps: FarmerDeps, stopping: Stopping): Promise<void> {
  const { session } = ctx.state;
  const stopped: Stopped = { customers: [], references: [] };
  const phone = phoneOf(deps.store, session);
  const farmer = await findFarmerId(deps.store, phone);
  if (farmer !== undefined) await noteStop(deps.store, farmer, session.language);
  const { recipients } = await whoSees(deps.store, phone);
  for (const { recipient, accounts } of stoppedBy(stopping, recipients)) {
    const ending = accounts.flatMap(({ granted }) => granted);
    const { changed, last } = await end(ctx, deps, recipient, { ending, farmer });
    if (changed === 0) continue;
    if ('slug' in stopping && stopping.account !== undefined) stopped.account = accounts[0]!.name;
    stopped.customers.push(recipient.channel.name);
    if (last) stopped.references.push(referenceOf(last));
  }
  if (stopped.customers.length > 0) await changeSession(deps.store, session, { stopped });
}

const isMeant = (stopping: Stopping, { channel }: Recipient, id: string) =>
  'all' in stopping || (stopping.slug === channel._id && (stopping.account ?? id) === id);

async function end(
  { state: { session, form, requestId, logged } }: SessionContext,
  deps: FarmerDeps,
  { channel }: Recipient,
  { ending, farmer }: { ending: Subscription[]; farmer: string | undefined },
): Promise<Pick<Shared, 'changed' | 'last'>> {
  const { name: channel_name, entity_types } = channel;
  const shown = form.get('read');
  const language = isLanguage(shown) ? shown : session.language;
  const read = { text_version: SHARING_TEXT_VERSION, language, request_id: requestId };
  const said = { channel_name, entity_types, ...read };
  const phone_ending = endingOf(phoneOf(deps.store, session));
  const revokes = ending.map((one): ConsentAct => {
    const act = { act: 'revoke', ...subscriptionKey(one), ...said } as const;
    return one.farmer === farmer ? act : { ...act, phone_ending };
  });
  const shared = await shareAccounts(deps, channel, { revokes }, { requestId });
  logged['revoked'] = Number(logged['revoked'] ?? 0) + shared.changed;
  return shared;
}
