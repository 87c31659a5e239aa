import { count } from '../domain/count';
import { changeRecord } from '../sample/change-record';
import { Random } from '../sample/random';
import type { ChannelKey } from './channel-key';
import { recordsOf } from './customer-process';
import type { Erp, Item } from './erp';
import { nextDue } from './next-due';
import { recordsOfAccount } from './records-of-account';
import { LENDER, PATIENCE_MS, type Stage } from './stage';
import { say } from './terminal';

const LENDERS_FEED = `channel/${LENDER.slug}`;

/**
 * The ERP changes one ticket of each of two accounts. Acme, which gets everything, gets both.
 * @returns what the lender got of it in a run that began afterwards
 */
export async function pushTicketOfEach(
  { customer, lender, temporal }: Stage,
  { erp, key }: { erp: Erp; key: ChannelKey },
  accounts: [string, string],
): Promise<{ pushed: number; received: number }> {
  const [first, second] = accounts;
  const items = [ticketOf(erp, first, second), ticketOf(erp, second, first)];
  const [pagesOfAcme, pagesOfLender] = [customer.pages.length, lender.pages.length];
  await erp.push(items, (records, ms) =>
    say(
      `   erp -> POST /api/v1/push  ${count(records, 'record')}, a ticket of each account  answered 204 in ${ms} ms`,
    ),
  );
  await customer.receives(items.length, pagesOfAcme, PATIENCE_MS);
  await key.untilConfirmed();
  const due = await nextDue(temporal, undefined, LENDERS_FEED);
  await nextDue(temporal, due, LENDERS_FEED);
  const received = recordsOf(lender.pages.slice(pagesOfLender));
  say(`   ${items.length} records pushed, ${received} delivered to the bank`);
  return { pushed: items.length, received };
}

/** A changed ticket of one account, and not of the other. */
function ticketOf(erp: Erp, account: string, other: string): Item {
  const others = new Set(recordsOfAccount(erp, other, ['tickets']).map(([, { id }]) => id));
  const [, ticket] = recordsOfAccount(erp, account, ['tickets']).find(([, { id }]) => !others.has(id))!;
  return ['tickets', changeRecord('tickets', ticket, new Random('a ticket of each'))];
}
