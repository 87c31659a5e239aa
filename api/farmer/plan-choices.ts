import { timeNow } from '../../domain/time/elapsed';
import { type EndDays, endDays, whyNoEnd } from '../../domain/consent/grant-end';
import { companyZones } from '../../store/callers/integrations';
import type { Channel } from '../../store/channels/channels';
import type { OfferedAccount } from '../../store/consent/offered-accounts';
import type { FarmerSession } from '../../store/sessions/farmer-sessions';
import type { Store } from '../../store/store';
import type { ListedAccount } from './list-accounts';

/** The changes that result from the farmer's ticks. */
export interface Plan {
  start: ListedAccount[];
  keep: ListedAccount[];
  /** The kept accounts whose end changes. */
  moved: ListedAccount[];
  /** The kept accounts that are not offered and keep an end before the chosen one. */
  unmoved: ListedAccount[];
  /** The kept accounts whose earlier records are shared from now on. */
  widened: ListedAccount[];
  stop: ListedAccount[];
  /** The accounts that were shown and not ticked. */
  declined: ListedAccount[];
  /** The last day of all grants but the unmoved ones; '' for grants without an end. */
  endsOn: string;
  /** Whether new grants include earlier records. */
  earlier: boolean;
}

/**
 * Compares ticks and grants. Only accounts that were shown count: one that appeared since is neither granted nor
 * declined.
 */
export function planChoices(accounts: ListedAccount[], session: FarmerSession): Plan {
  const [seen, ticked] = [new Set(session.seen), tickedOf(accounts, session)];
  const endsOn = endsOnOf(accounts, session);
  const earlier = earlierOf(accounts, session);
  const plan: Plan = {
    ...{ start: [], keep: [], moved: [], unmoved: [], widened: [], stop: [], declined: [] },
    ...{ endsOn, earlier },
  };
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

/**
 * Whether an end may change. A later one grants more, so the account must be offered; an earlier one grants less
 * (docs/contract.md F21).
 */
function canMove(account: ListedAccount, endsOn: string): boolean {
  return account.offered || (endsOn !== '' && (!account.endsOn || endsOn < account.endsOn));
}

/** The reason why the chosen end is not allowed, where something is shared. An unchanged end may be today. */
export function whyNoEndOf(
  { start, moved, unmoved, endsOn }: Plan,
  days: EndDays,
  { end_required }: Channel,
): 'missing' | ReturnType<typeof whyNoEnd> {
  if (endsOn === '') return end_required ? 'missing' : undefined;
  return start.length + moved.length + unmoved.length === 0 ? undefined : whyNoEnd(endsOn, days);
}

/** The ticked accounts. Before the farmer has chosen, those that are shared. */
export function tickedOf(accounts: ListedAccount[], session: FarmerSession): Set<string> {
  if (session.ticked) return new Set(session.ticked);
  return new Set(accounts.filter(({ granted }) => granted).map(({ id }) => id));
}

/** The chosen last day. Before the farmer has chosen, the earliest one of the present grants. */
export function endsOnOf(accounts: ListedAccount[], session: FarmerSession): string {
  if (session.ends_on !== null) return session.ends_on;
  const granted = accounts.filter((account) => account.granted);
  return granted.flatMap(({ endsOn }) => endsOn ?? []).sort()[0] ?? ''; // prettier-ignore
}

/**
 * Whether earlier records are shared as well. Before the farmer has chosen, they are, unless a present grant
 * leaves them out: a farmer who changes something else must not share them unasked.
 */
export function earlierOf(accounts: ListedAccount[], session: FarmerSession): boolean {
  if (session.earlier !== null) return session.earlier;
  return accounts.every(({ granted, newSince }) => !granted || !newSince);
}

/** Today and the last days that can be chosen for these accounts, in the time zones of their companies. */
export async function daysOf(store: Store, accounts: Pick<OfferedAccount, 'company'>[]): Promise<EndDays> {
  const ids = [...new Set(accounts.map(({ company }) => company.id))];
  const zones = await companyZones(store, ids);
  return endDays(
    timeNow(),
    ids.map((id) => zones.get(id)),
  );
}

/** The same for the accounts that a plan shares. */
export const daysOfPlan = (store: Store, { start, keep }: Pick<Plan, 'start' | 'keep'>): Promise<EndDays> =>
  daysOf(store, [...start, ...keep]);
