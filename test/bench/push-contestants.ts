import type { AnyBulkWriteOperation } from 'mongodb';
import { type RecordDocument, records as recordsOf } from '../../store/records/records';
import type { Store } from '../../store/store';
import type { Contestant } from './interleave';
import { BENCH_COMPANY, pushBody, storeBody } from './push-body';
import type { RunningApi } from './start-bench-api';
import type { TicketSource } from './ticket-source';

const BATCH = 1_000;

/** Pushes of new records, again and again: small ones several times a round, as one is over too soon to be timed. */
export interface PushRound {
  source: TicketSource;
  records: number;
  times: number;
}

/** What the push route does: validate, render, store. `last` is what it stored last. */
export function storingPush(
  store: Store,
  round: PushRound,
): Required<Contestant> & { last: { id: string }[] } {
  let bodies: unknown[] = [];
  const contestant = {
    last: [] as { id: string }[],
    units: round.records * round.times,
    async prepare() {
      const pushes = takeAll(round);
      contestant.last = pushes.flat();
      bodies = pushes.map((tickets) => JSON.parse(JSON.stringify(pushBody(tickets))) as unknown);
    },
    async run() {
      for (const body of bodies) await storeBody(store, body);
    },
  };
  return contestant;
}

/** The raw limit: the documents that `ours` has just stored, by `bulkWrite` into a database of the same indexes. */
export function rawPush(
  store: Store,
  raw: Store,
  ours: { last: { id: string }[] },
  units: number,
): Contestant {
  let batches: AnyBulkWriteOperation<RecordDocument>[][] = [];
  return {
    units,
    async prepare() {
      const ids = ours.last.map(({ id }) => `${BENCH_COMPANY.id}-${id}`);
      const documents = await recordsOf(store, 'tickets')
        .find({ _id: { $in: ids } })
        .toArray();
      const writes = documents.map((document) => ({ insertOne: { document } }));
      batches = [];
      while (writes.length > 0) batches.push(writes.splice(0, BATCH));
    },
    async run() {
      for (const batch of batches) await recordsOf(raw, 'tickets').bulkWrite(batch, { ordered: false });
    },
  };
}

/** The same over the real API. */
export function postedPush(api: RunningApi, round: PushRound): Contestant {
  let bodies: Buffer[] = [];
  return {
    units: round.records * round.times,
    async prepare() {
      bodies = takeAll(round).map((tickets) => Buffer.from(JSON.stringify(pushBody(tickets))));
    },
    async run() {
      for (const body of bodies) await api.push(body);
    },
  };
}

function takeAll({ source, records, times }: PushRound) {
  return Array.from({ length: times }, () => source.take(records));
}
