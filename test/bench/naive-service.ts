import type { Store } from '../../store/store';
import { BENCH_COMPANY } from './push-body';
import { TicketSource } from './ticket-source';

/** A naive implementation: records stored as objects and fed by `updated_at`. */
interface NaiveTicket {
  _id: string;
  updated_at: Date;
  [field: string]: unknown;
}

const tickets = (store: Store) => store.db.collection<NaiveTicket>('naive_tickets');

/** Its instants all differ, or it would lose records. */
export async function fillNaive(store: Store, count: number): Promise<void> {
  await tickets(store).createIndex({ updated_at: 1 });
  const documents = new TicketSource(count).take(count).map((ticket, index) => ({
    ...naiveDocument(ticket),
    updated_at: new Date(1_790_000_000_000 + index),
  }));
  while (documents.length > 0) await tickets(store).insertMany(documents.splice(0, 1_000));
}

export async function naiveFeed(store: Store, url: string, pages: number, pageSize: number): Promise<void> {
  const markers = store.db.collection<{ _id: string; updated_at: Date }>('naive_markers');
  for (let page = 1, since = new Date(0); page <= pages; page++) {
    const found = await tickets(store)
      .find({ updated_at: { $gt: since } })
      .sort({ updated_at: 1 })
      .limit(pageSize)
      .toArray();
    const data = found.map(({ _id, ...ticket }) => ({
      ticket: { ...ticket, id: _id, company: BENCH_COMPANY },
    }));
    const meta = { current_page: page, page_count: data.length, page_size: pageSize };
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data, meta }),
    }).then((answer) => answer.arrayBuffer());
    since = found.at(-1)!.updated_at;
    await markers.updateOne({ _id: 'naive' }, { $set: { updated_at: since } }, { upsert: true });
  }
}

/** One `updateOne` a record. */
export async function naivePush(store: Store, pushed: { id: string }[]): Promise<void> {
  for (const ticket of pushed) {
    const { _id, ...fields } = naiveDocument(ticket);
    await tickets(store).updateOne({ _id }, { $set: fields }, { upsert: true });
  }
}

function naiveDocument(ticket: { id: string }): NaiveTicket {
  return { ...ticket, _id: `${BENCH_COMPANY.id}-${ticket.id}`, updated_at: new Date() };
}
