import type { FarmerSession } from '../../store/access/farmer-sessions';
import type { ListedAccount } from './list-accounts';

/** The changes that the farmer's ticks result in. */
export interface Plan {
  start: ListedAccount[];
  keep: ListedAccount[];
  stop: ListedAccount[];
  /** Shown and not ticked. */
  declined: ListedAccount[];
}

/** Only accounts that were shown count: one that appeared since is neither granted nor declined. */
export function planChoices(accounts: ListedAccount[], session: FarmerSession): Plan {
  const [seen, ticked] = [new Set(session.seen), tickedOf(accounts, session)];
  const plan: Plan = { start: [], keep: [], stop: [], declined: [] };
  for (const account of accounts) {
    const isSeen = seen.has(account.id);
    if (account.granted) plan[ticked.has(account.id) || !isSeen ? 'keep' : 'stop'].push(account);
    else if (isSeen && account.offered) plan[ticked.has(account.id) ? 'start' : 'declined'].push(account);
  }
  return plan;
}

/** The ticked accounts. Before the farmer has chosen, those already shared. */
export function tickedOf(accounts: ListedAccount[], session: FarmerSession): Set<string> {
  if (session.ticked) return new Set(session.ticked);
  return new Set(accounts.filter(({ granted }) => granted).map(({ id }) => id));
}
