/** What the search wants done next. Indexes are of the page's records; `to` is not included. */
export type Deed =
  /** Post these alone; go on with `true` when they were confirmed, `false` when they were refused. */
  | { do: 'post'; from: number; to: number }
  /** This record was refused for itself. */
  | { do: 'set-aside'; at: number }
  /** Everything before `to` is confirmed or set aside: the marker may move there. */
  | { do: 'settle'; to: number };

/** `endpoint`: not a record is refused but everything; nothing was set aside. */
export type SearchEnd = 'settled' | 'endpoint';

/**
 * Finds the records that a customer refuses in a page that it has refused, and gets all others confirmed, in their
 * order (delivery, "Answers"). One refused record in a page of n costs at most log2(n) + 2 more requests.
 */
export function* searchRefused(records: number): Generator<Deed, SearchEnd, boolean> {
  let start = 0; // everything before it is settled
  let anyConfirmed = false;
  for (;;) {
    // Somewhere in [start, end) is a refused record. It is `suspected` where the posting of the rest was confirmed.
    let end = records;
    let suspected = false;
    while (end - start > 1) {
      const middle = start + Math.floor((end - start) / 2);
      suspected = yield { do: 'post', from: start, to: middle };
      if (!suspected) end = middle;
      else {
        yield { do: 'settle', to: (start = middle) };
        anyConfirmed = true;
      }
    }
    let restRefused = false;
    if (suspected && records - end >= 2) {
      // A larger rest that is confirmed proves that it was not the number of records, and saves the record's own try.
      if (yield { do: 'post', from: end, to: records }) {
        yield { do: 'set-aside', at: start };
        yield { do: 'settle', to: records };
        return 'settled';
      }
      restRefused = true;
    }
    const confirmed = suspected && (yield { do: 'post', from: start, to: end });
    if (!confirmed) {
      if (!anyConfirmed) {
        // The first alone was refused. If the last alone is too, it is the endpoint (delivery, "Answers").
        if (end === records || !(yield { do: 'post', from: records - 1, to: records })) return 'endpoint';
        anyConfirmed = true;
      }
      yield { do: 'set-aside', at: start };
    }
    yield { do: 'settle', to: (start = end) };
    if (start === records) return 'settled';
    if (!restRefused && (yield { do: 'post', from: start, to: records })) {
      yield { do: 'settle', to: records };
      return 'settled';
    }
  }
}
