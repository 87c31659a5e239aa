import type { EndDays } from '../../../domain/consent/grant-end';
import type { Channel } from '../../../store/channels/channels';
import { hasWords } from '../../../domain/text/folded';
import { legible } from '../../../domain/text/pasted-text';
import { readTypedDay } from '../../../domain/time/typed-day';
import { changeSession, isSaving, phoneOf } from '../../../store/sessions/farmer-sessions';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { listAccounts, type ListedAccount, type ListedAccounts } from '../list-accounts';
import { newCheck } from '../new-check';
import { notePhoneCrowded } from '../note-activity';
import { accountsPage, noAccountsPage } from '../pages/accounts-page';
import type { FieldError } from '../pages/errors';
import { PATHS } from '../paths';
import { endingOf } from '../phone-number';
import { daysOf, earlierOf, endsOnOf, type Plan, planChoices, tickedOf, whyNoEndOf } from '../plan-choices';
import { problemIn, sayProblem } from '../say-problem';
import type { Texts } from '../texts/en';
import type { FarmerContext, FarmerDeps } from '../farmer-state';

const FIELD_WRONG = ['none', 'missing', 'malformed', 'past', 'far'] as const;
type FieldWrong = (typeof FIELD_WRONG)[number];

const SEARCH_FROM = 16;
const MOST_SHOWN = 200;
const LONGEST_SEARCH = 80;

export async function showAccounts(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const { session, channel } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  const listed = await listAccounts(deps.store, session, channel);
  await show(ctx, deps, listed, problemIn(ctx, FIELD_WRONG));
}

export async function submitAccounts(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const { session, channel, form, switched } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  if (isSaving(session)) return goTo(ctx, PATHS.done); // the earlier choice is being saved
  const listed = await listAccounts(deps.store, session, channel);
  const { accounts } = listed;
  const ticked = tick(accounts, ctx);
  const pressed = switched ? 'language' : pressedIn(form);
  const ends_on = form.has('ends_on') ? readTypedDay(form.get('ends_on')!) : session.ends_on;
  const earlier = form.has('earlier') ? form.get('earlier') !== 'no' : session.earlier;
  const chosen = { ...session, ticked: [...ticked], ends_on, earlier };
  const plan = planChoices(accounts, chosen);
  if (pressed === 'continue') {
    const wrong = wrongIn(accounts, plan, chosen, { channel, days: await daysOf(deps.store, accounts) });
    if (wrong) {
      const { ticked: tickedNow } = chosen;
      await changeSession(deps.store, session, { ticked: tickedNow, ends_on, earlier, check: null });
      return sayProblem(ctx, deps, PATHS.accounts, wrong);
    }
  }
  const search = pressed === 'search' ? searchIn(form) : pressed === 'show-all' ? '' : session.search;
  // Any check page opened before is now out of date.
  ctx.state.session = await changeSession(deps.store, session, {
    ticked: chosen.ticked,
    ends_on,
    earlier,
    search,
    saved: null,
    saving: null,
    check: newCheck(),
  });
  goTo(ctx, pressed === 'continue' ? PATHS.check : PATHS.accounts);
}

/** The ticked accounts: the shown ones as the form has them, all others as before. */
function tick(accounts: ListedAccount[], ctx: FarmerContext): Set<string> {
  const { session, form } = ctx.state;
  const ticked = tickedOf(accounts, session);
  const inForm = new Set(form.getAll('account'));
  const seen = new Set(session.seen);
  for (const { id } of shownOf(accounts, form.get('searched') ?? '')) {
    if (!seen.has(id)) continue;
    const wanted = form.get('do') === 'tick' || (inForm.has(id) && form.get('do') !== 'untick');
    if (wanted) ticked.add(id);
    else ticked.delete(id);
  }
  // Drops accounts that are no longer offered, and unknown ids.
  const listed = new Set(accounts.map(({ id }) => id));
  return new Set([...ticked].filter((id) => listed.has(id)));
}

/** The error that keeps the farmer on this page, if any. An end is required only where something is shared. */
function wrongIn(
  accounts: ListedAccount[],
  plan: Plan,
  { ticked }: { ticked: string[] },
  { channel, days }: { channel: Channel; days: EndDays },
): FieldWrong | undefined {
  if (ticked.length === 0) return accounts.some(({ granted }) => granted) ? undefined : 'none';
  return whyNoEndOf(plan, days, channel);
}

/** The Return key in the search field searches. */
function pressedIn(form: URLSearchParams): string {
  const searches = form.has('search') && searchIn(form) !== (form.get('searched') ?? '');
  return form.get('do') ?? (searches ? 'search' : 'continue');
}

const searchIn = (form: URLSearchParams) => legible(form.get('search') ?? '').slice(0, LONGEST_SEARCH);

function shownOf(accounts: ListedAccount[], search: string): ListedAccount[] {
  const searched = search.slice(0, LONGEST_SEARCH);
  return accounts
    .filter(({ name, company, remote_id }) => hasWords([name, company.name, remote_id].join('\n'), searched))
    .slice(0, MOST_SHOWN);
}

async function show(
  ctx: FarmerContext,
  deps: FarmerDeps,
  { accounts, crowded: companies }: ListedAccounts,
  wrong?: FieldWrong,
): Promise<void> {
  const { session, channel } = ctx.state;
  const context = farmerPageContext(ctx, deps);
  const phoneEnding = endingOf(phoneOf(deps.store, session));
  notePhoneCrowded(deps, channel, companies);
  const crowded = companies.length > 0 && !accounts.some(({ offered }) => offered);
  if (accounts.length === 0)
    return answerPage(
      ctx,
      noAccountsPage({ context, customer: channel.name, phoneEnding, crowded, signed: session.link.signed }),
    );
  const shown = shownOf(accounts, session.search);
  const seen = [...new Set([...session.seen, ...shown.map(({ id }) => id)])];
  if (seen.length > session.seen.length) await changeSession(deps.store, session, { seen });
  const days = await daysOf(deps.store, accounts);
  const page = accountsPage({
    context,
    customer: channel.name,
    accounts: shown,
    total: accounts.length,
    ticked: tickedOf(accounts, session),
    // A search made when there were more accounts can still be ended.
    searchable: accounts.length >= SEARCH_FROM || session.search !== '',
    search: session.search,
    crowded: crowded ? phoneEnding : undefined,
    // If all accounts are shared with their earlier records, there is no choice.
    earlier: accounts.some((one) => (one.granted ? one.newSince : one.offered))
      ? earlierOf(accounts, session)
      : undefined,
    end: { on: endsOnOf(accounts, session), required: channel.end_required ?? false, ...days },
    error: wrong && errorOf(context.texts.accounts, wrong, days),
  });
  answerPage(ctx, page, wrong ? 422 : 200);
}

function errorOf(t: Texts['accounts'], wrong: FieldWrong, { first, last }: EndDays): FieldError {
  if (wrong === 'none') return { field: 'account', message: t.chooseOne };
  const { missing, malformed, past, far } = t.end;
  const messages = { missing, malformed, past: past(first), far: far(last) };
  return { field: 'ends_on', message: messages[wrong] };
}
