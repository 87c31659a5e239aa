import { type EndDays, whyNoEnd } from '../../domain/grant-end';
import type { FarmerSession } from '../../store/sessions/farmer-sessions';
import type { ListedAccount } from './list-accounts';

/** The changes that the farmer's ticks result in. */
export interface Plan {
  start: ListedAccount[];
  keep: ListedAccount[];
  /** Those of them whose end changes. */
  moved: ListedAccount[];
  /** Those of them that keep an earlier end than the chosen one, as they are not offered. */
  unmoved: ListedAccount[];
  /** Those of them whose earlier records are shared from now on. */
  widened: ListedAccount[];
  stop: ListedAccount[];
  /** Shown and not ticked. */
  declined: ListedAccount[];
  /** The last day of what is shared then, but for the unmoved; '' until it is stopped. */
  endsOn: string;
  /** Whether what begins is shared with its earlier records. */
  earlier: boolean;
}

const nothing = (): Omit<Plan, 'endsOn' | 'earlier'> => ({
  start: [],
  keep: [],
  moved: [],
  unmoved: [],
  widened: [],
  stop: [],
  declined: [],
});

/** Only accounts that were shown count: one that appeared since is neither granted nor declined. */
export function planChoices(accounts: ListedAccount[], session: FarmerSession): Plan {
  const [seen, ticked] = [new Set(session.seen), tickedOf(accounts, session)];
  const endsOn = endsOnOf(accounts, session);
  const earlier = earlierOf(accounts, session);
  const plan: Plan = { ...nothing(), endsOn, earlier };
  for (const account of accounts) {
    const isSeen = seen.has(account.id);
    if (account.granted) plan[ticked.has(account.id) || !isSeen ? 'keep' : 'stop'].push(account);
    else if (isSeen && account.offered) plan[ticked.has(account.id) ? 'start' : 'declined'].push(account);
  }
  for (const account of plan.keep)
    if ((account.endsOn ?? '') !== endsOn) plan[canMove(account, endsOn) ? 'moved' : 'unmoved'].push(account);
  if (earlier) plan.widened = plan.keep.filter(({ newSince, offered }) => newSince && offered);
  return plan;
}

/** A later end shares again, which needs an account that is offered; an earlier one takes away (docs/contract.md F21). */
function canMove(account: ListedAccount, endsOn: string): boolean {
  return account.offered || (endsOn !== '' && (!account.endsOn || endsOn < account.endsOn));
}

/** Why the end that was chosen cannot be; one that stays as it is may be today's. */
export function whyNoEndOf(
  { start, moved, unmoved, endsOn }: Plan,
  days: EndDays,
): ReturnType<typeof whyNoEnd> {
  return start.length + moved.length + unmoved.length === 0 ? undefined : whyNoEnd(endsOn, days);
}

/** The ticked accounts. Before the farmer has chosen, those already shared. */
export function tickedOf(accounts: ListedAccount[], session: FarmerSession): Set<string> {
  if (session.ticked) return new Set(session.ticked);
  return new Set(accounts.filter(({ granted }) => granted).map(({ id }) => id));
}

/** The chosen last day. Before the farmer has chosen, the first of those that are shared. */
export function endsOnOf(accounts: ListedAccount[], session: FarmerSession): string {
  if (session.ends_on !== null) return session.ends_on;
  const granted = accounts.filter((account) => account.granted);
  return granted.flatMap(({ endsOn }) => endsOn ?? []).sort()[0] ?? ''; // prettier-ignore
}

/** Whether the earlier records are shared too. Before the farmer has chosen, unless all that is shared is without them. */
export function earlierOf(accounts: ListedAccount[], session: FarmerSession): boolean {
  if (session.earlier !== null) return session.earlier;
  const granted = accounts.filter((account) => account.granted);
  return granted.length === 0 || granted.some(({ newSince }) => !newSince);
}
