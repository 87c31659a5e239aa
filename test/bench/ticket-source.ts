import { generateTickets } from '../../tools/sample/generate-tickets';
import type { SampleTicket } from '../../tools/sample/scale-ticket';
import type { Store } from '../../store/store';
import { pushBody, storeBody } from './push-body';

const MOST_IN_A_PUSH = 5_000;

/** Hands out sample tickets, each only once. */
export class TicketSource {
  private readonly tickets: Generator<SampleTicket>;

  constructor(count: number, accounts = 500) {
    this.tickets = generateTickets({ seed: 7, accounts, tickets: count });
  }

  take(count: number): SampleTicket[] {
    return Array.from({ length: count }, () => {
      const { value, done } = this.tickets.next();
      if (done) throw new Error('there are no more tickets');
      return value as SampleTicket;
    });
  }
}

/** Fills a store as an ERP would. */
export async function pushSampleTickets(store: Store, count: number, accounts?: number): Promise<void> {
  const source = new TicketSource(count, accounts);
  for (let left = count; left > 0; left -= MOST_IN_A_PUSH) {
    await storeBody(store, pushBody(source.take(Math.min(left, MOST_IN_A_PUSH))));
  }
}
