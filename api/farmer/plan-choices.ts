import type { FarmerSession } from '../../store/farmer-sessions';
import type { ListedAccount } from './list-accounts';

/** What the farmer's ticks come to. */
export interface Plan {
  start: ListedAccount[];
  keep: ListedAccount[];
  stop: ListedAccount[];
  /** Shown and left without a tick. */
  declined: ListedAccount[];
}

/** Only what was shown to him counts: an account that has come up since is neither granted nor declined. */
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

/** What is ticked now: before the farmer has chosen, what he shares already (farmer page). */
export function tickedOf(accounts: ListedAccount[], session: FarmerSession): Set<string> {
  if (session.ticked) return new Set(session.ticked);
  return new Set(accounts.filter(({ granted }) => granted).map(({ id }) => id));
}
