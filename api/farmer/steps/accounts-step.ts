import { changeSession, isSaving, phoneOf } from '../../../store/access/farmer-sessions';
import { isEverybodysPhone } from '../../../store/sharing/offered-accounts';
import type { Deps, FarmerContext } from '../../route';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { listAccounts, type ListedAccount } from '../list-accounts';
import { newCheck } from '../new-check';
import { accountsPage, noAccountsPage } from '../pages/accounts-page';
import { PATHS } from '../paths';
import { endingOf } from '../phone-number';
import { planChoices, tickedOf } from '../plan-choices';

const SEARCH_FROM = 16;
const MOST_SHOWN = 200;
const LONGEST_SEARCH = 80;

export async function showAccounts(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session, channel } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  await show(ctx, deps, await listAccounts(deps.store, session, channel));
}

export async function submitAccounts(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session, channel, form, switched } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  if (isSaving(session)) return goTo(ctx, PATHS.done); // the earlier choice is being saved
  const accounts = await listAccounts(deps.store, session, channel);
  const ticked = tick(accounts, ctx);
  const pressed = switched ? 'language' : pressedIn(form);
  if (pressed === 'continue' && ticked.size === 0 && !accounts.some(({ granted }) => granted)) {
    ctx.state.session = { ...session, ticked: [] };
    return show(ctx, deps, accounts, true);
  }
  const search = pressed === 'search' ? searchIn(form) : pressed === 'show-all' ? '' : session.search;
  const chosen = { ...session, ticked: [...ticked] };
  // Any check page opened before is now out of date.
  ctx.state.session = await changeSession(deps.store, session, {
    ticked: chosen.ticked,
    search,
    saved: null,
    saving: null,
    check: newCheck({ session: chosen, channel }, planChoices(accounts, chosen)),
  });
  goTo(ctx, pressed === 'continue' ? PATHS.check : PATHS.accounts);
}

/** The ticked accounts: shown rows as posted, all others as before. */
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

/** The Return key in the search field searches. */
function pressedIn(form: URLSearchParams): string {
  const searches = form.has('search') && searchIn(form) !== (form.get('searched') ?? '');
  return form.get('do') ?? (searches ? 'search' : 'continue');
}

const searchIn = (form: URLSearchParams) => (form.get('search') ?? '').trim().slice(0, LONGEST_SEARCH);

function shownOf(accounts: ListedAccount[], search: string): ListedAccount[] {
  const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain(search.slice(0, LONGEST_SEARCH)).split(/\s+/);
  return accounts
    .filter(({ name, company, remote_id }) => {
      const text = plain(`${name} ${company.name} ${remote_id}`);
      return words.every((word) => text.includes(word));
    })
    .slice(0, MOST_SHOWN);
}

async function show(ctx: FarmerContext, deps: Deps, accounts: ListedAccount[], none = false): Promise<void> {
  const { session, channel } = ctx.state;
  const context = farmerPageContext(ctx, deps);
  const phone = phoneOf(deps.store, session);
  const phoneEnding = endingOf(phone);
  const crowded = !accounts.some(({ offered }) => offered) && (await isEverybodysPhone(deps.store, phone));
  if (accounts.length === 0)
    return answerPage(ctx, noAccountsPage({ context, customer: channel.name, phoneEnding, crowded }));
  const shown = shownOf(accounts, session.search);
  const seen = [...new Set([...session.seen, ...shown.map(({ id }) => id)])];
  if (seen.length > session.seen.length) await changeSession(deps.store, session, { seen });
  const page = accountsPage({
    context,
    customer: channel.name,
    accounts: shown,
    total: accounts.length,
    ticked: tickedOf(accounts, session),
    searchable: accounts.length >= SEARCH_FROM,
    search: session.search,
    crowded: crowded ? phoneEnding : undefined,
    error: none ? { field: 'account', message: context.texts.accounts.chooseOne } : undefined,
  });
  answerPage(ctx, page, none ? 422 : 200);
}
