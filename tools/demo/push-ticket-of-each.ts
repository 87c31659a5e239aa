import { count } from '../../domain/records/count';
import { changeRecord } from '../sample/change-record';
import { Random } from '../sample/random';
import type { ChannelKey } from './channel-key';
import { recordsOf } from './demo-customer';
import type { DemoErp, Item } from './demo-erp';
import { waitForNextDue } from './wait-for-next-due';
import { recordsOfAccount } from './records-of-account';
import { LENDER, STEP_TIMEOUT_MS, type DemoStage } from './demo-stage';
import { say } from './terminal';

const LENDERS_FEED = `channel/${LENDER.slug}`;

/**
 * The ERP changes one ticket of each of two accounts. Acme, which gets everything, gets both.
 * @returns how many records the lender got of it in a run that began afterwards
 */
export async function pushTicketOfEach(
  { customer, lender, temporal }: DemoStage,
  { erp, key }: { erp: DemoErp; key: ChannelKey },
  accounts: [string, string],
): Promise<number> {
  const [first, second] = accounts;
  const items = [ticketOf(erp, first, second), ticketOf(erp, second, first)];
  const [pagesOfAcme, pagesOfLender] = [customer.pages.length, lender.pages.length];
  await erp.push(items, (records, ms) =>
    say(
      `   erp -> POST /api/v1/push  ${count(records, 'record')}, a ticket of each account  answered 204 in ${ms} ms`,
    ),
  );
  await customer.receives(items.length, pagesOfAcme, STEP_TIMEOUT_MS);
  await key.untilConfirmed();
  const due = await waitForNextDue(temporal, undefined, LENDERS_FEED);
  await waitForNextDue(temporal, due, LENDERS_FEED);
  const received = recordsOf(lender.pages.slice(pagesOfLender));
  say(`   ${items.length} records pushed, ${received} delivered to the bank`);
  return received;
}

/** A changed ticket of one account, and not of the other. */
function ticketOf(erp: DemoErp, account: string, other: string): Item {
  const others = new Set(recordsOfAccount(erp, other, ['tickets']).map(([, { id }]) => id));
  const [, ticket] = recordsOfAccount(erp, account, ['tickets']).find(([, { id }]) => !others.has(id))!;
  return ['tickets', changeRecord('tickets', ticket, new Random('a ticket of each'))];
}
