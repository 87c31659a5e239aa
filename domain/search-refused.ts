/** The next action of the search. Indexes refer to the page's records; `to` is exclusive. */
export type SearchStep =
  /** Post these alone; answer `true` when they were confirmed, `false` when they were refused. */
  | { do: 'post'; from: number; to: number }
  /** This record itself was refused. */
  | { do: 'set-aside'; at: number }
  /** Everything before `to` is confirmed or set aside; the marker may move there. */
  | { do: 'settle'; to: number };

/** `endpoint`: the endpoint refuses every record, so none was set aside. */
export type SearchEnd = 'settled' | 'endpoint';

/**
 * Finds the refused records of a refused page by binary search, and gets all others confirmed in order. One refused
 * record in a page of n costs at most log2(n) + 2 more requests.
 * @param endpointWorks other pages were confirmed, so a record that is refused alone is the cause
 */
export function* searchRefused(
  records: number,
  endpointWorks = false,
): Generator<SearchStep, SearchEnd, boolean> {
  let start = 0; // everything before it is settled
  let anyConfirmed = endpointWorks;
  for (;;) {
    // [start, end) contains a refused record; `suspected` when the half before it was confirmed.
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
      // A confirmed rest of several records proves that their number was not the cause. It saves posting the suspected
      // record alone.
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
        // The first was refused alone. If the last is refused alone too, the endpoint is the cause
        // (docs/decisions/0011).
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
